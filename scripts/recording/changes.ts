import { utf8 } from '../../src/core/kernel/bytes.ts';
import type { StubDefinition } from '../../src/core/services/rpc/stub.ts';
import type { Recorder } from './recorder.ts';
import type { Recording } from './recording.ts';

const service = 'late.v1.Late';
const ids = ['5a0c1d52-0f5e-4b8f-9a67-0d6c5d7f0001', '5a0c1d52-0f5e-4b8f-9a67-0d6c5d7f0002'] as const;

/** Descriptors and stubs that come, change and go while calls are under way; what is refused; HTTP requests. */
export const changes: Recording = {
  name: 'changes',
  async play(recorder) {
    const early = [answers(ids[0], 'before its descriptor'), answers(ids[1], 'for one session', 'a')];
    await recorder.loadStubs(early);
    await recorder.submit({
      kind: 'CallOpened',
      method: `/${service}/Arrive`,
      session: '',
      headers: [],
      bytes: new Uint8Array(0),
    });
    await recorder.loadProtos('scripts/recording/late');
    await recorder.loadProtos('scripts/recording/late');
    await arrive(recorder);
    await replaceStubs(recorder);
    await recorder.loadProtos('scripts/recording/later');
    await recorder.call(`${service}/Leave`, { who: 'Ada', why: 'a new field, a new method' });
    await recorder.loadStubs([
      { service: 'Late', method: 'Leave', output: { stream: [{ who: '{{.Request.why}}' }] } },
    ]);
    await recorder.call(`${service}/Leave`, { who: 'Ada', why: 'a new field, a new method' });
    await refuse(recorder);
    await request(recorder);
    await removeStubs(recorder);
  },
};

function answers(id: string, who: string, session = ''): StubDefinition {
  return {
    id,
    service,
    method: 'Arrive',
    session,
    options: { times: 2 },
    output: { data: { who, hour: '{{.AttemptNumber}}' } },
  };
}

async function arrive(recorder: Recorder): Promise<void> {
  for (const session of ['', 'a', 'b', '', '', 'a', 'a', 'a', 'a', 'a']) {
    await recorder.call(`${service}/Arrive`, { who: 'Ada' }, { session });
  }
}

async function replaceStubs(recorder: Recorder): Promise<void> {
  // A call that waits keeps the stub that it was given.
  await recorder.loadStubs([{ ...answers(ids[0], 'slow'), output: { delay: '10s', data: { who: 'slow' } } }]);
  await recorder.call(`${service}/Arrive`, { who: 'waits' });
  await recorder.loadStubs([answers(ids[0], 'replaced, and counts anew')]);
  await recorder.call(`${service}/Arrive`, { who: 'does not wait' });
  await recorder.pass(10_000);
  const file = { from: 'file', file: 'stubs/late.json' } as const;
  for (const definitions of [[answers(ids[1], 'of a file'), made('one'), made('two')], [made('two')], []]) {
    const bytes = utf8(JSON.stringify(definitions));
    await recorder.submit({ kind: 'StubsLoaded', source: file, replacesFile: true, session: '', bytes });
    await recorder.call(`${service}/Arrive`, { who: 'two' });
  }
}

/** Without an id: it gets one of its own. */
function made(who: string): StubDefinition {
  return {
    service,
    method: 'Arrive',
    priority: 1,
    input: { equals: { who } },
    output: { data: { who: `made ${who}` } },
  };
}

async function refuse(recorder: Recorder): Promise<void> {
  await recorder.submit({ kind: 'DescriptorsLoaded', source: 'api', bytes: utf8('no descriptor set') });
  const misfit = { service, method: 'Arrive', output: { data: { hour: 'noon', where: 1 } } };
  await recorder.submit({
    kind: 'StubsLoaded',
    source: { from: 'api' },
    replacesFile: false,
    session: '',
    bytes: utf8(JSON.stringify([misfit])),
  });
  const headers = [['user-agent', 'x']] as const;
  for (const method of [`/${service}/Nowhere`, '/late.v1/Late', '/', '']) {
    await recorder.submit({ kind: 'CallOpened', method, session: '', headers, bytes: new Uint8Array(0) });
  }
  // Truncated, and not what a message may hold.
  for (const bytes of [[0x0a, 0x05, 0x41], [0x0a, 0x02, 0xff, 0xfe], [0xff]]) {
    await recorder.submit({
      kind: 'CallOpened',
      method: `/${service}/Arrive`,
      session: '',
      headers: [],
      bytes: Uint8Array.from(bytes),
    });
  }
  const aborted = {
    kind: 'CallAborted',
    method: `/${service}/Arrive`,
    session: '',
    headers,
    code: 8,
    message: 'too large',
  } as const;
  await recorder.submit(aborted);
  await recorder.submit({ kind: 'MessageReceived', call: 999_999, bytes: new Uint8Array(0) });
}

async function request(recorder: Recorder): Promise<void> {
  const headers = [
    ['host', 'localhost'],
    ['cookie', 'fp_00000000000000000000000000000000'],
  ] as const;
  await recorder.submit({
    kind: 'HttpRequestReceived',
    method: 'GET',
    target: '/repos/a/b?page=2',
    session: '',
    headers,
  });
  await recorder.submit({
    kind: 'HttpRequestReceived',
    method: 'POST',
    target: '/é%00',
    session: 'a',
    headers,
    bytes: utf8('{"a":1}'),
  });
}

async function removeStubs(recorder: Recorder): Promise<void> {
  await recorder.submit({ kind: 'StubsRemoved', ids: [ids[1], ids[1], 'nobody'] });
  await recorder.submit({ kind: 'StubsRemoved', session: 'a' });
  await recorder.submit({ kind: 'StubsRemoved' });
  await recorder.call(`${service}/Arrive`, { who: 'nobody is left' });
}
