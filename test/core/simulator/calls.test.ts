import { describe, expect, test } from 'vitest';
import { submitted } from '../../../src/core/simulator/simulator.ts';
import {
  allHeard,
  call,
  converse,
  handClock,
  heard,
  load,
  simulate,
  startAt,
} from '../../support/simulate.ts';

const OK = [0];

describe('a unary call', () => {
  test('is answered in the entry that it opened', async () => {
    const simulator = await simulate([
      { input: { equals: { text: 'Ada' } }, output: { data: { text: 'Hello Ada' } } },
    ]);
    const entry = await call(simulator, 'Say', { text: 'Ada' });
    expect(heard(entry.outcomes)).toEqual([{ text: 'Hello Ada' }, OK]);
    expect(simulator.world().rpc.calls.size).toBe(0);
  });

  test('that no stub answers is NOT_FOUND, with the request in the message and the entry in the trailers', async () => {
    const simulator = await simulate();
    const entry = await call(simulator, 'Say', { text: 'Ada' });
    const ended = entry.outcomes.at(-1);
    expect(ended).toMatchObject({
      kind: 'CallEnded',
      code: 5,
      trailers: [['doubletake-entry', String(entry.seq)]],
    });
    expect(ended).toHaveProperty('message', expect.stringContaining('"text": "Ada"'));
  });

  test('to a method that nobody described is UNIMPLEMENTED', async () => {
    const simulator = await simulate();
    const entry = await submitted(simulator, {
      kind: 'CallOpened',
      method: '/talk.v1.Talk/Shout',
      session: '',
      headers: [],
      bytes: new Uint8Array(),
    });
    expect(entry.outcomes).toMatchObject([{ kind: 'CallMissed', reason: 'unknown method' }, { code: 12 }]);
  });

  test('whose bytes are no message is INTERNAL', async () => {
    const simulator = await simulate([{ output: { data: {} } }]);
    const entry = await submitted(simulator, {
      kind: 'CallOpened',
      method: '/talk.v1.Talk/Say',
      session: '',
      headers: [],
      bytes: Uint8Array.of(0x0a, 0x7f, 0x41),
    });
    expect(entry.outcomes).toMatchObject([{ kind: 'CallEnded', code: 13 }]);
  });

  test('waits for the log clock, not for the wall clock', async () => {
    const simulator = await simulate([{ output: { data: { text: 'late' }, delay: '1h' } }]);
    const entry = await call(simulator, 'Say', {});
    expect(heard(entry.outcomes)).toEqual(['wait until 3600000']);
    await simulator.runTo(startAt + 3_599_999);
    expect(await allHeard(simulator, entry.seq)).toEqual(['wait until 3600000']);
    await simulator.runTo(startAt + 3_600_000);
    expect(await allHeard(simulator, entry.seq)).toEqual(['wait until 3600000', { text: 'late' }, OK]);
  });

  test('is out of time when its deadline comes before the reply', async () => {
    const simulator = await simulate([{ output: { data: { text: 'late' }, delay: '10s' } }]);
    const entry = await call(simulator, 'Say', {}, { timeoutMs: 5000 });
    await simulator.runTo(startAt + 60_000);
    expect(await allHeard(simulator, entry.seq)).toEqual([
      'wait until 10000',
      [4, 'the deadline of the call has passed'],
    ]);
  });

  test('that the client cancels while it waits gets no reply', async () => {
    const simulator = await simulate([{ output: { data: {}, delay: '10s' } }]);
    const entry = await call(simulator, 'Say', {});
    await submitted(simulator, { kind: 'CallCancelled', call: entry.seq, reason: 'client' });
    await simulator.runTo(startAt + 60_000);
    expect(await allHeard(simulator, entry.seq)).toEqual(['wait until 10000', [1, expect.any(String)]]);
  });

  test('goes on by an alarm when the clock is the system clock', async () => {
    const clock = handClock();
    const simulator = await simulate([{ output: { data: { text: 'late' }, delay: '2s' } }], {
      clock,
      mode: 'system',
    });
    const entry = await call(simulator, 'Say', {});
    const committed = new Promise((resolve) => simulator.onCommitted(resolve));
    clock.pass(2000);
    await committed;
    expect(await allHeard(simulator, entry.seq)).toEqual(['wait until 2000', { text: 'late' }, OK]);
  });

  test('does not wait at all when the clock jumps by itself', async () => {
    const simulator = await simulate([{ output: { data: { text: 'late' }, delay: '5h' } }], { mode: 'auto' });
    const entry = await call(simulator, 'Say', {});
    await submitted(simulator, { kind: 'ClockAdvanced', to: startAt });
    expect(await allHeard(simulator, entry.seq)).toContainEqual({ text: 'late' });
  });
});

test('a clock that jumps when idle does not jump to the deadline of a call that waits for its client', async () => {
  const simulator = await simulate(
    [{ method: 'Chat', input: { contains: { text: 'a' } }, output: { data: { text: 'b' }, delay: '10s' } }],
    {
      mode: 'auto',
    },
  );
  const client = await converse(simulator, 'Chat', '', 60_000);
  await client.say({ text: 'a' });
  await simulator.setClockMode('auto');
  expect(await allHeard(simulator, client.id)).toEqual(['wait until 10000', { text: 'b' }]);
  expect(simulator.world().rpc.calls.size).toBe(1);
});

describe('an error', () => {
  test('without a code is ABORTED, a code alone has no message, and code 0 with an error is OK with data', async () => {
    const simulator = await simulate([
      { input: { equals: { number: 1 } }, output: { error: 'no' } },
      { input: { equals: { number: 2 } }, output: { code: 3 } },
      { input: { equals: { number: 3 } }, output: { code: 0, error: 'no', data: { text: 'yes' } } },
      { input: { equals: { number: 4 } }, output: { error: 'no', data: { text: 'never seen' } } },
    ]);
    const answer = async (number: number) => heard((await call(simulator, 'Say', { number })).outcomes);
    expect(await answer(1)).toEqual([[10, 'no']]);
    expect(await answer(2)).toEqual([[3]]);
    expect(await answer(3)).toEqual([{ text: 'yes' }, OK]);
    expect(await answer(4)).toEqual([[10, 'no']]);
  });

  test('repeats its headers as trailers and packs its details', async () => {
    const details = [{ type: 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'CLOSED', domain: 'talk' }];
    const simulator = await simulate([
      { output: { code: 9, error: 'closed', details, headers: { 'x-why': 'a;b' } } },
    ]);
    const entry = await call(simulator, 'Say', {});
    const pairs = [
      ['x-why', 'a'],
      ['x-why', 'b'],
    ];
    expect(entry.outcomes).toMatchObject([
      { kind: 'StubMatched' },
      { kind: 'HeadersSent', headers: pairs },
      {
        kind: 'CallEnded',
        code: 9,
        message: 'closed',
        trailers: [...pairs, ['grpc-status-details-bin', expect.any(String)]],
      },
    ]);
  });

  test('of an unknown detail type is INTERNAL and names the type', async () => {
    const simulator = await simulate([
      { output: { code: 9, details: [{ type: 'type.googleapis.com/no.Such' }] } },
    ]);
    const entry = await call(simulator, 'Say', {});
    expect(entry.outcomes.at(-1)).toMatchObject({ code: 13, message: expect.stringContaining('no.Such') });
  });
});

describe('a server stream', () => {
  test('waits before every message but the first, and ends after the last', async () => {
    const simulator = await simulate([
      { method: 'Tell', output: { stream: [{ text: 'a' }, { text: 'b' }], delay: '100ms' } },
    ]);
    const entry = await call(simulator, 'Tell', {});
    expect(heard(entry.outcomes)).toEqual([{ text: 'a' }, 'wait until 100']);
    await simulator.runTo(startAt + 1000);
    expect(await allHeard(simulator, entry.seq)).toEqual([
      { text: 'a' },
      'wait until 100',
      { text: 'b' },
      OK,
    ]);
  });

  test('of `data` alone is one message, and of an empty list is none', async () => {
    const simulator = await simulate([
      { method: 'Tell', input: { equals: { number: 1 } }, output: { data: { text: 'only' } } },
      { method: 'Tell', input: { equals: { number: 2 } }, output: { stream: [] } },
    ]);
    expect(heard((await call(simulator, 'Tell', { number: 1 })).outcomes)).toEqual([{ text: 'only' }, OK]);
    expect(heard((await call(simulator, 'Tell', { number: 2 })).outcomes)).toEqual([OK]);
  });

  test('with an error sends its messages first', async () => {
    const simulator = await simulate([
      { method: 'Tell', output: { stream: [{ text: 'a' }], error: 'lost', code: 15 } },
    ]);
    expect(heard((await call(simulator, 'Tell', {})).outcomes)).toEqual([{ text: 'a' }, [15, 'lost']]);
  });
});

describe('a client stream', () => {
  test('is answered when the client has finished', async () => {
    const simulator = await simulate([
      {
        method: 'Gather',
        inputs: [{ equals: { text: 'a' } }, { equals: { text: 'b' } }],
        output: { data: { text: 'both' } },
      },
    ]);
    const client = await converse(simulator, 'Gather');
    expect(await client.say({ text: 'a' })).toEqual([]);
    expect(await client.say({ text: 'b' })).toEqual([]);
    expect(await client.finish()).toEqual([{ text: 'both' }, OK]);
  });

  test('matches a list of matchers pair by pair, and one matcher with every message', async () => {
    const simulator = await simulate([
      { method: 'Gather', inputs: [{ contains: { text: 'a' } }], output: { data: { text: 'all' } } },
      {
        method: 'Gather',
        inputs: [{}, {}].map(() => ({ matches: { text: '.' } })),
        output: { data: { text: 'two' } },
      },
    ]);
    const answer = async (...texts: readonly string[]) => {
      const client = await converse(simulator, 'Gather');
      for (const text of texts) await client.say({ text });
      return (await client.finish())[0];
    };
    expect(await answer('a', 'ba', 'ca')).toEqual({ text: 'all' });
    expect(await answer('x', 'y')).toEqual({ text: 'two' });
    expect(await answer('x', 'y', 'z')).toEqual([5, expect.any(String)]);
  });

  test('of singular `input` prefers the stub of the later message', async () => {
    const simulator = await simulate([
      { method: 'Gather', input: { equals: { text: 'first' } }, output: { data: { text: 'by the first' } } },
      { method: 'Gather', input: { equals: { text: 'last' } }, output: { data: { text: 'by the last' } } },
    ]);
    const client = await converse(simulator, 'Gather');
    await client.say({ text: 'first' });
    await client.say({ text: 'last' });
    expect(await client.finish()).toEqual([{ text: 'by the last' }, OK]);
  });
});

describe('a bidirectional stream', () => {
  const script = {
    method: 'Chat',
    inputs: [{ equals: { text: 'hi' } }, { equals: { text: 'bye' } }],
    output: { stream: [{ text: 'hello' }, { text: 'see you' }, { text: 'gone' }] },
  };

  test('lets one message out for each that comes in, and the rest with the last', async () => {
    const client = await converse(await simulate([script]), 'Chat');
    expect(await client.say({ text: 'hi' })).toEqual([{ text: 'hello' }]);
    expect(await client.say({ text: 'bye' })).toEqual([{ text: 'see you' }, { text: 'gone' }]);
    expect(await client.finish()).toEqual([OK]);
  });

  test('ends with NOT_FOUND at one message more than scripted, and says so', async () => {
    const client = await converse(await simulate([script]), 'Chat');
    await client.say({ text: 'hi' });
    await client.say({ text: 'bye' });
    expect(await client.say({ text: 'again' })).toEqual([[5, expect.stringContaining('scripts 2 messages')]]);
  });

  test('that is left before its script ends was not the one that was matched', async () => {
    const client = await converse(await simulate([script]), 'Chat');
    await client.say({ text: 'hi' });
    expect(await client.finish()).toEqual([[5, expect.any(String)]]);
  });

  test('with singular `input` answers each message by itself', async () => {
    const simulator = await simulate([
      {
        method: 'Chat',
        input: { contains: { text: 'h' } },
        output: { data: { text: '{{.Request.text}} {{.MessageIndex}}' } },
      },
    ]);
    const client = await converse(simulator, 'Chat');
    expect(await client.say({ text: 'h1' })).toEqual([{ text: 'h1 0' }]);
    expect(await client.say({ text: 'h2' })).toEqual([{ text: 'h2 1' }]);
    expect(await client.finish()).toEqual([OK]);
  });

  test('may move to another stub that fits all that was said, and never back', async () => {
    const stub = (second: string) => ({
      method: 'Chat',
      inputs: [{ equals: { text: 'hi' } }, { equals: { text: second } }],
      output: { stream: [{ text: 'hello' }, { text: `${second} too` }] },
    });
    const client = await converse(await simulate([stub('x'), stub('y')]), 'Chat');
    expect(await client.say({ text: 'hi' })).toEqual([{ text: 'hello' }]);
    expect(await client.say({ text: 'y' })).toEqual([{ text: 'y too' }]);
    expect(await client.finish()).toEqual([OK]);
  });
});

describe('times', () => {
  test('counts by calling session, once per call', async () => {
    const simulator = await simulate([
      { method: 'Tell', options: { times: 1 }, output: { stream: [{}, {}] } },
    ]);
    const code = async (session: string) => (await call(simulator, 'Tell', {}, { session })).outcomes.at(-1);
    expect(await code('a')).toMatchObject({ code: 0 });
    expect(await code('a')).toMatchObject({ code: 5 });
    expect(await code('b')).toMatchObject({ code: 0 });
  });

  test('starts again when the stub is loaded again', async () => {
    const id = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
    const stub = { id, options: { times: 1 }, output: { data: {} } };
    const simulator = await simulate([stub]);
    await call(simulator, 'Say', {});
    expect((await call(simulator, 'Say', {})).outcomes.at(-1)).toMatchObject({ code: 5 });
    await load(simulator, [stub]);
    expect((await call(simulator, 'Say', {})).outcomes.at(-1)).toMatchObject({ code: 0 });
  });
});

describe('effects', () => {
  const next = '0d1f2b4e-5a6c-4d7e-8f90-a1b2c3d4e5f6';
  const upsert = (stub: object) => ({ action: 'upsert' as const, stub: stub as never });

  test('make a stub in the session of the stub that matched', async () => {
    const made = {
      id: next,
      service: 'talk.v1.Talk',
      method: 'Say',
      input: { equals: { text: 'two' } },
      output: { data: { text: '{{.Request.text}}' } },
    };
    const simulator = await simulate([
      { session: 'a', input: { equals: { text: 'one' } }, output: { data: {} }, effects: [upsert(made)] },
    ]);
    await call(simulator, 'Say', { text: 'one' }, { session: 'a' });
    expect(heard((await call(simulator, 'Say', { text: 'two' }, { session: 'a' })).outcomes)[0]).toEqual({
      text: 'one',
    });
    expect((await call(simulator, 'Say', { text: 'two' })).outcomes.at(-1)).toMatchObject({ code: 5 });
  });

  test('come also with an error, and reach only stubs of the same session', async () => {
    const simulator = await simulate([
      { id: next, session: 'b', output: { data: {} } },
      { output: { code: 7 }, effects: [{ action: 'delete', id: next }] },
    ]);
    await call(simulator, 'Say', {}, { session: 'a' });
    expect(simulator.world().rpc.stubs.byId.has(next)).toBe(true);
    await load(simulator, [{ id: next, output: { data: { text: 'mine' } }, priority: -1 }]);
    await call(simulator, 'Say', {}, { session: 'a' });
    expect(simulator.world().rpc.stubs.byId.has(next)).toBe(false);
  });

  test('are refused all together when one is invalid, and the reply is given all the same', async () => {
    const simulator = await simulate([
      {
        output: { data: { text: 'still' } },
        effects: [
          upsert({ service: 'talk.v1.Talk', method: 'Say', output: { data: {} } }),
          upsert({ service: 'talk.v1.Talk', output: {} }),
        ],
      },
    ]);
    const before = simulator.world().rpc.stubs.byId.size;
    const entry = await call(simulator, 'Say', {});
    expect(entry.outcomes).toContainEqual(
      expect.objectContaining({
        kind: 'EffectRefused',
        violations: expect.arrayContaining([
          expect.objectContaining({ pointer: expect.stringContaining('/effects/1/stub') }),
        ]),
      }),
    );
    expect(heard(entry.outcomes)).toEqual([{ text: 'still' }, OK]);
    expect(simulator.world().rpc.stubs.byId.size).toBe(before);
  });
});

describe('a template', () => {
  test('that fails is INTERNAL, names its place, and leaves no effect', async () => {
    const stub = { service: 'talk.v1.Talk', method: 'Tell', output: {} };
    const simulator = await simulate([
      { output: { data: { text: '{{.Request.nosuch}}' } }, effects: [{ action: 'upsert', stub }] },
    ]);
    const entry = await call(simulator, 'Say', {});
    expect(entry.outcomes.at(-1)).toMatchObject({
      code: 13,
      message: expect.stringContaining('/output/data/text'),
    });
    expect(entry.outcomes.map((outcome) => outcome.kind)).not.toContain('EffectApplied');
  });

  test('that is a whole number fits a numeric field, and text that is none names the field', async () => {
    const simulator = await simulate([{ output: { data: { number: '{{.Request.text}}' } } }]);
    expect(heard((await call(simulator, 'Say', { text: '9007199254740993' })).outcomes)[0]).toEqual({
      number: '9007199254740993',
    });
    const failed = await call(simulator, 'Say', { text: 'seven' });
    expect(failed.outcomes.at(-1)).toMatchObject({ code: 13, message: expect.stringContaining('number') });
  });
});

describe('loading', () => {
  test('refuses all stubs when one does not fit its method, and says which', async () => {
    const simulator = await simulate();
    const outcomes = await load(simulator, [
      { output: { data: {} } },
      { output: { data: { txt: 'misspelt' } } },
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'StubsRefused', violations: [{ pointer: expect.stringMatching(/^\/1\/output\/data/) }] },
    ]);
    expect(simulator.world().rpc.stubs.byId.size).toBe(0);
  });

  test('accepts a stub for an unknown method with a warning', async () => {
    const simulator = await simulate();
    const outcomes = await load(simulator, [{ method: 'Shout', output: { data: {} } }]);
    expect(outcomes).toMatchObject([
      { kind: 'StubsAccepted', warnings: [expect.objectContaining({ pointer: expect.any(String) })] },
    ]);
  });

  test('gives stubs without an id one that comes from the seed', async () => {
    const ids = async () => (await load(await simulate(), [{ output: { data: {} } }]))[0];
    expect(await ids()).toEqual(await ids());
  });
});
