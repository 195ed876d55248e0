import { expect, test } from 'vitest';
import { explainEntry } from '../../../src/core/simulator/explain.ts';
import { submitted } from '../../../src/core/simulator/simulator.ts';
import { call, converse, load, simulate } from '../../support/simulate.ts';

const hello = { id: '11111111-1111-4111-8111-111111111111', input: { equals: { text: 'bug', number: 7 } } };

test('a miss is explained by a funnel, the fields that failed, and hints', async () => {
  const simulator = await simulate([
    { ...hello, output: { data: { text: 'Hello' } } },
    { method: 'Tell', output: { stream: [] } },
    { session: 'other', output: { data: {} } },
  ]);
  const miss = await call(simulator, 'Say', { text: 'bug ', number: 7 });
  const explanation = await explainEntry(simulator, miss.seq);
  expect(explanation?.call.verdict).toBe('missed');
  expect(explanation?.call.funnel.map(({ count }) => count)).toEqual([3, 2, 1, 1, 1, 0]);
  expect(explanation?.call.others[0]).toMatchObject({
    stub: hello.id,
    matched: false,
    output: { data: { text: 'Hello' } },
  });
  expect(explanation?.call.others[0]?.fields).toEqual([
    { rule: 'equals', path: 'number', expected: 7, actual: '7', ok: true },
    { rule: 'equals', path: 'text', expected: 'bug', actual: 'bug ', ok: false, hint: 'trailing space' },
  ]);
});

test('all fields that failed are named, not the first', async () => {
  const simulator = await simulate([
    { input: { equals: { text: 'a', number: 1, tags: ['x'] } }, output: { data: {} } },
  ]);
  const miss = await call(simulator, 'Say', { text: 'a', number: 2, tags: ['y'] });
  const [closest] = (await explainEntry(simulator, miss.seq))?.call.others ?? [];
  // One field of three is right: too far off to be called close.
  expect(closest).toBeUndefined();
  const nearer = await call(simulator, 'Say', { text: 'a', number: 1, tags: ['y'] });
  const [near] = (await explainEntry(simulator, nearer.seq))?.call.others ?? [];
  expect(near?.fields.filter(({ ok }) => !ok).map(({ path }) => path)).toEqual(['tags[0]']);
});

test('an answer names its stub, and what else would have matched', async () => {
  const simulator = await simulate([
    { priority: 1, output: { data: { text: 'first' } } },
    { ...hello, output: { data: { text: 'second' } } },
  ]);
  const answered = await call(simulator, 'Say', { text: 'bug', number: 7 });
  const explanation = await explainEntry(simulator, answered.seq);
  expect(explanation?.call.chosen).toMatchObject({ priority: 1, matched: true });
  expect(explanation?.call.others).toMatchObject([{ stub: hello.id, matched: true }]);
});

test('a miss of an exhausted stub says so, and that the same request was answered before', async () => {
  const simulator = await simulate([{ ...hello, options: { times: 1 }, output: { data: {} } }]);
  const first = await call(simulator, 'Say', { text: 'bug', number: 7 });
  const second = await call(simulator, 'Say', { text: 'bug', number: 7 });
  const explanation = await explainEntry(simulator, second.seq);
  expect(explanation?.call.others).toMatchObject([
    { stub: hello.id, unavailable: 'exhausted', matched: true },
  ]);
  expect(explanation?.earlier).toMatchObject({ seq: first.seq, stub: hello.id });
});

test('what was loaded since the same request was answered is named', async () => {
  const simulator = await simulate([{ ...hello, output: { data: {} } }]);
  const first = await call(simulator, 'Say', { text: 'bug', number: 7 });
  await submitted(simulator, { kind: 'StubsRemoved' });
  await load(simulator, [{ input: { equals: { text: 'cat' } }, output: { data: {} } }]);
  const miss = await call(simulator, 'Say', { text: 'bug', number: 7 });
  const explanation = await explainEntry(simulator, miss.seq);
  expect(explanation?.earlier).toEqual({
    seq: first.seq,
    stub: hello.id,
    changes: [
      { seq: first.seq + 1, kind: 'StubsRemoved' },
      { seq: first.seq + 2, kind: 'StubsLoaded' },
    ],
  });
});

test('any entry of a call leads to the one that decided it', async () => {
  const simulator = await simulate([
    { method: 'Chat', inputs: [{}, {}].map(() => ({ contains: { text: 'a' } })), output: { stream: [{}] } },
  ]);
  const client = await converse(simulator, 'Chat');
  await client.say({ text: 'a' });
  await client.say({ text: 'aa' });
  await client.finish();
  expect(await explainEntry(simulator, client.id + 3)).toMatchObject({
    seq: client.id + 1,
    call: { verdict: 'answered' },
  });
  expect(await explainEntry(simulator, 1)).toBeUndefined();
  await expect(explainEntry(simulator, 99)).rejects.toThrow(RangeError);
});

test('what a client streamed before its call was decided leads to where it was', async () => {
  const simulator = await simulate([
    { method: 'Gather', inputs: [{ contains: { text: 'a' } }], output: { data: {} } },
  ]);
  const client = await converse(simulator, 'Gather');
  await client.say({ text: 'a' });
  await call(simulator, 'Say', {});
  expect(await explainEntry(simulator, client.id)).toBeUndefined();
  await client.finish();
  for (const seq of [client.id, client.id + 1, client.id + 3]) {
    expect(await explainEntry(simulator, seq)).toMatchObject({
      seq: client.id + 3,
      call: { call: client.id, verdict: 'answered' },
    });
  }
});
