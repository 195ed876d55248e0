import type { Json, JsonObject } from '../../src/core/kernel/json.ts';
import type { StubDefinition } from '../../src/core/services/rpc/stub.ts';
import type { Recording } from './recording.ts';

const service = 'kinds.v1.Kinds';

/** As `JSON.parse` makes it: `__proto__` is a key like any other. */
const odd = JSON.parse(
  '{"__proto__":"p","constructor":"c","toString":"t","2":"two","10":"ten","b":"b","":"e"}',
) as JsonObject;
const names = Object.keys(odd);

/** Keys that mean something to JavaScript, in maps, structs, sessions, headers, stubs and what effects make of them. */
export const oddNames: Recording = {
  name: 'odd-names',
  async play(recorder) {
    await recorder.loadProtos('scripts/recording/protos');
    await recorder.loadStubs(stubs);
    await recorder.call(`${service}/Give`, { texts: odd });
    await recorder.call(`${service}/Anything`, { nested: odd, list: [odd] });
    await recorder.call(`${service}/Anything`, odd);
    // Twice: the stub answers each session once.
    for (const session of [...names, ...names]) {
      await recorder.call(`${service}/Older`, { name: 'session' }, { session });
    }
    for (const name of names)
      await recorder.call(
        `${service}/Older`,
        { name },
        {
          headers: [
            [name, 'x'],
            ['x-a', name],
          ],
        },
      );
    for (const session of ['__proto__', '__proto__', 'constructor']) {
      await recorder.call(`${service}/Scatter`, { string: '__proto__' }, { session });
    }
    await recorder.submit({ kind: 'StubsRemoved', session: '__proto__' });
    await recorder.call(`${service}/Scatter`, { string: 'constructor' }, { session: '__proto__' });
  },
};

const stubs: readonly StubDefinition[] = [
  {
    service,
    method: 'Give',
    input: { equals: { texts: odd } },
    output: { data: { texts: odd, struct: odd } },
  },
  { service, method: 'Anything', input: { contains: { nested: odd } }, output: { data: odd } },
  {
    service,
    method: 'Anything',
    output: { data: { seen: '{{json .Request}}', own: '{{index .Request "__proto__"}}' } },
  },
  { service, method: 'Older', options: { times: 1 }, output: { data: { name: '{{.Session}}' } } },
  headerRule('__proto__'),
  headerRule('constructor'),
  ...['__proto__', 'constructor'].map((session): StubDefinition => ({
    service,
    method: 'Scatter',
    session,
    output: { stream: [{ string: session }] },
    effects: [{ action: 'upsert', stub: made(session) }],
  })),
];

function headerRule(name: string): StubDefinition {
  const equals = JSON.parse(`{${JSON.stringify(name)}:"x"}`) as Readonly<Record<string, string>>;
  return { service, method: 'Older', headers: { equals }, output: { data: { name: `header ${name}` } } };
}

/** Answers the next call of the session, with what the request of the first one said. */
function made(session: string): JsonObject {
  const equals: Json = { texts: {}, string: '{{.Request.string}}' };
  return {
    id: '{{uuid}}',
    service,
    method: 'Scatter',
    priority: 1,
    input: { equals },
    output: { stream: [{ struct: odd }, { string: `made for ${session}` }] },
  };
}
