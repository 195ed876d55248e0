import { describe, expect, test } from 'vitest';
import { submitted } from '../../../src/core/simulator/simulator.ts';
import { allHeard, call, converse, heard, simulate, startAt } from '../../support/simulate.ts';

const id = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
const OK = [0];

describe('what a template sees', () => {
  test('of a unary call: the request, the headers, the session, the stub and its uses', async () => {
    const text =
      '{{.Request.text}} {{len .Requests}} {{index .Headers "x-a"}} {{.Session}} {{.StubID}} ' +
      '{{.AttemptNumber}}/{{.MaxAttempts}} {{.MessageIndex}} {{.RequestTime.Format "2006-01-02"}}';
    const simulator = await simulate([{ id, options: { times: 3 }, output: { data: { text } } }]);
    const headers = [['x-a', 'b']] as const;
    const say = async (session: string) =>
      heard((await call(simulator, 'Say', { text: 'hi' }, { session, headers })).outcomes)[0];
    expect(await say('s')).toEqual({ text: `hi 1 b s ${id} 1/3 0 2026-01-01` });
    expect(await say('s')).toEqual({ text: `hi 1 b s ${id} 2/3 0 2026-01-01` });
    expect(await say('t')).toEqual({ text: `hi 1 b t ${id} 1/3 0 2026-01-01` });
  });

  test('of a client stream: all messages, and the last as the request', async () => {
    const simulator = await simulate([
      {
        method: 'Gather',
        inputs: [{ contains: { text: '' } }],
        output: { data: { text: '{{.Request.text}}: {{join (extract .Requests "text") "+"}}' } },
      },
    ]);
    const client = await converse(simulator, 'Gather');
    await client.say({ text: 'a' });
    await client.say({ text: 'b' });
    expect(await client.finish()).toEqual([{ text: 'b: a+b' }, OK]);
  });

  test('of a bidirectional stream: the message that is answered, and its number', async () => {
    const simulator = await simulate([
      {
        method: 'Chat',
        input: { contains: { text: '' } },
        output: { data: { text: '{{.MessageIndex}} {{.Request.text}}' } },
      },
    ]);
    const client = await converse(simulator, 'Chat');
    expect(await client.say({ text: 'a' })).toEqual([{ text: '0 a' }]);
    expect(await client.say({ text: 'b' })).toEqual([{ text: '1 b' }]);
  });

  test('in headers, errors and effects as well as in data', async () => {
    const made = {
      service: 'talk.v1.Talk',
      method: 'Say',
      priority: 1,
      input: { equals: { text: '{{.Request.text}} again' } },
      output: { data: { text: 'made for {{.Request.text}}' } },
    };
    const simulator = await simulate([
      {
        output: { headers: { 'x-a': '{{.Request.text}};b' }, error: 'no {{.Request.text}}', code: 9 },
        effects: [{ action: 'upsert', stub: made }],
      },
    ]);
    const { outcomes } = await call(simulator, 'Say', { text: 'x' });
    expect(heard(outcomes)).toEqual([
      {
        headers: [
          ['x-a', 'x'],
          ['x-a', 'b'],
        ],
      },
      [9, 'no x'],
    ]);
    expect(heard((await call(simulator, 'Say', { text: 'x again' })).outcomes)[0]).toEqual({
      text: 'made for x',
    });
  });
});

test.each(['{{div 1 0}}', '{{mod 1 0}}', '{{.Request.nosuch}}', '{{index .Requests 7}}'])(
  'the failing template %s ends its call with INTERNAL, names its place, and the next call is served',
  async (text) => {
    const simulator = await simulate([
      { input: { equals: { number: 1 } }, output: { data: { text } } },
      { output: { data: { text: 'served' } } },
    ]);
    expect(heard((await call(simulator, 'Say', { number: 1 })).outcomes)).toEqual([
      [13, expect.stringContaining('/output/data/text')],
    ]);
    expect(heard((await call(simulator, 'Say', {})).outcomes)).toEqual([{ text: 'served' }, OK]);
  },
);

describe('the order in a call', () => {
  const removing = {
    output: { delay: '10s', data: { text: 'gone' } },
    effects: [{ action: 'delete' as const, id }],
  };
  const target = { id, method: 'Tell', output: { data: {} } };

  test('is delay, then effects, then the reply, in one entry', async () => {
    const simulator = await simulate([removing, target]);
    const { seq } = await call(simulator, 'Say', {});
    expect(simulator.world().rpc.stubs.byId.has(id)).toBe(true);
    await simulator.runTo(startAt + 10_000);
    const [entry] = await simulator.entries(simulator.world().seq, 1);
    expect(entry?.outcomes.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['EffectApplied', 'MessageSent', 'CallEnded']),
    );
    expect(await allHeard(simulator, seq)).toEqual(['wait until 10000', { text: 'gone' }, OK]);
    expect(simulator.world().rpc.stubs.byId.has(id)).toBe(false);
  });

  test('leaves no effect of a call that is cancelled while it waits', async () => {
    const simulator = await simulate([removing, target]);
    const { seq } = await call(simulator, 'Say', {});
    await submitted(simulator, { kind: 'CallCancelled', call: seq, reason: 'client' });
    await simulator.runTo(startAt + 60_000);
    expect(simulator.world().rpc.stubs.byId.has(id)).toBe(true);
  });

  test('lets an effect delete what is not there without a complaint', async () => {
    const simulator = await simulate([{ ...removing, output: { data: {} } }]);
    const { outcomes } = await call(simulator, 'Say', {});
    expect(outcomes.map(({ kind }) => kind)).not.toContain('EffectRefused');
    expect(outcomes.at(-1)).toMatchObject({ code: 0 });
  });
});
