import { describe, expect, it } from 'vitest';
import { countCalls } from '../../../src/core/services/rpc/history.ts';
import { callHistory } from '../../../src/edges/admin/call-history.ts';
import { call, converse, simulate, startAt } from '../../support/simulate.ts';
import { ids, runAdmin, sayStub } from './running-admin.ts';

const stub = { ...sayStub, id: ids[0], input: { equals: { text: 'Ada' } } };
const say = { service: 'talk.v1.Talk', method: 'Say' };

describe('GET /api/history', () => {
  it('lists calls with what was said, newest first', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [stub] });
    const first = await call(simulator, 'Say', { text: 'Ada' });
    const second = await call(simulator, 'Say', { text: 'Bob' }, { session: 'blue' });
    const { body, headers } = await ask('GET', '/api/history');
    expect(body).toMatchObject([
      { seq: second.seq, session: 'blue', requests: [{ text: 'Bob' }], responses: [], code: 5 },
      {
        seq: first.seq,
        ...say,
        session: '',
        stubId: ids[0],
        timestamp: new Date(startAt).toISOString(),
        requests: [{ text: 'Ada', number: '0', tags: [] }],
        responses: [{ text: 'hello' }],
        code: 0,
        error: '',
        elapsedMs: 0,
      },
    ]);
    expect(headers['x-total-count']).toBe('2');
  });

  it('shows all messages of a stream, and that a call is open', async () => {
    const { ask, simulator } = await runAdmin();
    const chat = await converse(simulator, 'Gather');
    await chat.say({ text: 'a' });
    await chat.say({ text: 'b' });
    const [shown] = (await ask('GET', '/api/history')).body as readonly object[];
    expect(shown).toMatchObject({ method: 'Gather', requests: [{ text: 'a' }, { text: 'b' }] });
    expect(shown).not.toHaveProperty('code');
  });

  it('keeps sessions apart, filters, and gives pages', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [stub] });
    await call(simulator, 'Say', { text: 'Ada' });
    await call(simulator, 'Say', { text: 'Bob' }, { session: 'blue' });
    await call(simulator, 'Tell', { text: 'Ada' }, { session: 'blue' });
    const methods = async (query: string, session?: string) =>
      (
        (await ask('GET', `/api/history${query}`, session === undefined ? {} : { session })).body as {
          method: string;
        }[]
      ).map(({ method }) => method);
    expect(await methods('', 'blue')).toEqual(['Tell', 'Say']);
    expect(await methods('', 'red')).toEqual([]);
    expect(await methods('?method=Say')).toEqual(['Say', 'Say']);
    expect(await methods('?service=Talk&error=true')).toEqual(['Tell', 'Say']);
    expect(await methods('?offset=1&limit=1')).toEqual(['Say']);
  });

  it('shows the newest calls only when there are more than it may, and says how many it does not', async () => {
    const { ask, simulator } = await runAdmin({ limits: { historyCallsMax: 2 } });
    for (const text of ['a', 'b', 'c']) await call(simulator, 'Say', { text });
    const { body, headers } = await ask('GET', '/api/history');
    expect(body).toMatchObject([{ requests: [{ text: 'c' }] }, { requests: [{ text: 'b' }] }]);
    expect(headers['x-doubletake-forgotten']).toBe('1');
    expect((await ask('POST', '/api/verify', { body: { ...say, expectedCount: 3 } })).status).toBe(200);
  });

  it('is asked by many at a time without counting twice', async () => {
    const simulator = await simulate();
    for (const text of ['a', 'b', 'c']) await call(simulator, 'Say', { text });
    const history = callHistory(simulator, { callsMax: 10, bytesMax: 1000 });
    const [first, second, cleared] = await Promise.all([
      history.upToDate(),
      history.upToDate(),
      history.clear(undefined),
    ]);
    expect(countCalls(first, say)).toBe(3);
    expect(countCalls(second, say)).toBe(3);
    expect(cleared).toBe(3);
  });
});

describe('DELETE /api/history', () => {
  it('starts anew and leaves the log as it is', async () => {
    const { ask, simulator } = await runAdmin();
    await call(simulator, 'Say', { text: 'a' });
    const { seq } = simulator.head();
    expect((await ask('DELETE', '/api/history')).body).toEqual({ deletedCount: 1 });
    expect((await ask('GET', '/api/history')).body).toEqual([]);
    expect((await ask('GET', `/api/entries/${seq}`)).status).toBe(200);
    await call(simulator, 'Say', { text: 'b' });
    expect((await ask('GET', '/api/history')).body).toMatchObject([{ requests: [{ text: 'b' }] }]);
    expect((await ask('POST', '/api/verify', { body: { ...say, expectedCount: 1 } })).status).toBe(200);
  });

  it('with a session starts that one anew, and no other', async () => {
    const { ask, simulator } = await runAdmin();
    await call(simulator, 'Say', { text: 'a' });
    await call(simulator, 'Say', { text: 'b' }, { session: 'blue' });
    expect((await ask('DELETE', '/api/history', { session: 'blue' })).body).toEqual({
      deletedCount: 1,
      session: 'blue',
    });
    expect((await ask('GET', '/api/history')).body).toMatchObject([{ session: '' }]);
  });
});

describe('POST /api/verify', () => {
  it('is content with the number of calls that were made', async () => {
    const { ask, simulator } = await runAdmin();
    await call(simulator, 'Say', {});
    await call(simulator, 'Say', {}, { session: 'blue' });
    const verify = (body: object, session?: string) =>
      ask('POST', '/api/verify', session === undefined ? { body } : { body, session });
    expect((await verify({ ...say, expectedCount: 2 })).body).toMatchObject({ message: 'ok' });
    expect((await verify({ service: 'Talk', method: 'Say', expectedCount: 2 })).status).toBe(200);
    expect((await verify({ ...say, expectedCount: 1 }, 'blue')).status).toBe(200);
    expect((await verify({ ...say, expectedCount: 0 }, 'red')).status).toBe(200);
    expect((await verify({ service: 'alk', method: 'Say', expectedCount: 0 })).status).toBe(200);
  });

  it('says how many there were when the number is another', async () => {
    const { ask, simulator } = await runAdmin();
    await call(simulator, 'Say', {});
    const { status, body } = await ask('POST', '/api/verify', { body: { ...say, expectedCount: 2 } });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'DT_VERIFY_FAILED',
      expected: 2,
      actual: 1,
      message: 'expected talk.v1.Talk/Say to be called 2 times, and it was called once',
    });
  });

  it('refuses what is no question', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/verify', { body: { service: 'Talk', expectedCount: -1 } });
    expect((body as { violations: unknown[] }).violations).toHaveLength(2);
    expect((await ask('POST', '/api/verify')).body).toMatchObject({ code: 'DT_REQUEST_INVALID' });
  });
});
