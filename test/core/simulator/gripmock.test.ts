import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/core/kernel/json.ts';
import { allHeard, call, heard, load, simulate, startAt } from '../../support/simulate.ts';

const OK = [0];

// `trailers` and `_gripmock` are not of the format itself, so its type does not know them.
const told = (output: { readonly [key: string]: Json }) => ({ method: 'Tell', output: output as object });

describe('with the gripmock compatibility', () => {
  test('trailers go out with OK, and beside the headers with an error', async () => {
    const more = { headers: { 'x-first': '1' }, trailers: { 'x-last': '{{.Request.text}};b' } };
    const simulator = await simulate(
      [told({ stream: [], ...more }), told({ code: 3, ...more })].toReversed(),
      {
        gripmock: true,
      },
    );
    const end = async () => (await call(simulator, 'Tell', { text: 'a' })).outcomes.at(-1);
    expect(await end()).toMatchObject({
      code: 3,
      trailers: [
        ['x-first', '1'],
        ['x-last', 'a'],
        ['x-last', 'b'],
      ],
    });
    await load(simulator, [{ priority: 1, ...told({ stream: [], ...more }) }]);
    expect(await end()).toMatchObject({
      code: 0,
      trailers: [
        ['x-last', 'a'],
        ['x-last', 'b'],
      ],
    });
  });

  test('a message of a stream may have its own delay, and the first waits like the others', async () => {
    const stream = [{ text: 'a' }, { text: 'b', _gripmock: { delay: '5s' } }, { text: 'c' }];
    const simulator = await simulate([told({ delay: '1s', stream })], { gripmock: true });
    const { seq } = await call(simulator, 'Tell', {});
    await simulator.runTo(startAt + 10_000);
    expect(await allHeard(simulator, seq)).toEqual([
      'wait until 1000',
      { text: 'a' },
      'wait until 6000',
      { text: 'b' },
      'wait until 7000',
      { text: 'c' },
      OK,
    ]);
  });

  test('a message of a stream may end the call in its place, with the headers and trailers of the output', async () => {
    const stream = [{ text: 'a' }, { _gripmock: { code: 8, error: 'no {{.Request.text}}' } }, { text: 'b' }];
    const simulator = await simulate(
      [told({ stream, headers: { 'x-first': '1' }, trailers: { 'x-last': '2' } })],
      { gripmock: true },
    );
    const { outcomes } = await call(simulator, 'Tell', { text: 'room' });
    expect(heard(outcomes)).toEqual([{ headers: [['x-first', '1']] }, { text: 'a' }, [8, 'no room']]);
    expect(outcomes.at(-1)).toMatchObject({
      trailers: [
        ['x-first', '1'],
        ['x-last', '2'],
      ],
    });
  });

  test('an error without a code in a message is ABORTED, and the code 0 ends the stream early', async () => {
    const ending = (control: Json) => told({ stream: [{ _gripmock: control }, { text: 'never' }] });
    const simulator = await simulate([ending({ error: 'no' })], { gripmock: true });
    expect(heard((await call(simulator, 'Tell', {})).outcomes)).toEqual([[10, 'no']]);
    await load(simulator, [{ priority: 1, ...ending({ code: 0 }) }]);
    expect(heard((await call(simulator, 'Tell', {})).outcomes)).toEqual([OK]);
  });
});

test('without it, a stub that needs it is refused', async () => {
  const simulator = await simulate();
  expect(await load(simulator, [told({ stream: [], trailers: { a: 'b' } })])).toMatchObject([
    { kind: 'StubsRefused' },
  ]);
});
