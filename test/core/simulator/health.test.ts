import { expect, test } from 'vitest';
import { submitted, type Simulator } from '../../../src/core/simulator/simulator.ts';
import { simulate } from '../../support/simulate.ts';

const serving = Uint8Array.of(8, 1);
const notServing = Uint8Array.of(8, 2);

/** The outcomes of asking for the health of a service: a message of one field, its name. */
async function health(simulator: Simulator, service: string) {
  const { outcomes } = await submitted(simulator, {
    kind: 'CallOpened',
    method: '/grpc.health.v1.Health/Check',
    session: '',
    headers: [],
    bytes: Uint8Array.of(10, service.length, ...Buffer.from(service)),
  });
  return outcomes;
}

test('the server and the loaded services are SERVING, and an unknown one is NOT_FOUND', async () => {
  const simulator = await simulate();
  for (const service of ['', 'talk.v1.Talk']) {
    expect(await health(simulator, service)).toContainEqual(expect.objectContaining({ bytes: serving }));
  }
  expect((await health(simulator, 'nobody')).at(-1)).toMatchObject({ code: 5, message: 'unknown service' });
});

const stub = (name: string) => ({
  service: 'grpc.health.v1.Health',
  method: 'Check',
  input: { equals: { service: name } },
  output: { data: { status: 'NOT_SERVING' } },
});

test('a stub on the health service wins over what is built in', async () => {
  const simulator = await simulate([stub('talk.v1.Talk')]);
  expect(await health(simulator, 'talk.v1.Talk')).toContainEqual(
    expect.objectContaining({ bytes: notServing }),
  );
  expect(await health(simulator, '')).toContainEqual(expect.objectContaining({ bytes: serving }));
});

test('the name gripmock is the server itself with the gripmock compatibility, whatever stubs say', async () => {
  const simulator = await simulate([stub('gripmock')], { gripmock: true });
  expect(await health(simulator, 'gripmock')).toContainEqual(expect.objectContaining({ bytes: serving }));
  expect((await health(await simulate(), 'gripmock')).at(-1)).toMatchObject({ code: 5 });
});
