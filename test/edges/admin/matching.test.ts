import { describe, expect, it } from 'vitest';
import { call, load } from '../../support/simulate.ts';
import { ids, runAdmin, sayStub } from './running-admin.ts';

const [one, two, three] = ids;
const say = { service: 'talk.v1.Talk', method: 'Say' };

describe('POST /api/stubs/search', () => {
  it('answers what a call would be answered, as often as one asks', async () => {
    const { ask, simulator } = await runAdmin({
      stubs: [
        {
          ...sayStub,
          id: one,
          options: { times: 1 },
          output: { data: { text: 'hello {{.Request.text}}' }, headers: { 'x-a': '1' } },
        },
      ],
    });
    const before = simulator.head().seq;
    for (let round = 0; round < 3; round += 1) {
      const { body } = await ask('POST', '/api/stubs/search', { body: { ...say, data: { text: 'Ada' } } });
      expect(body).toEqual({
        stubId: one,
        headers: { 'x-a': '1' },
        data: { text: 'hello Ada', number: '0', tags: [] },
        error: '',
        code: 0,
      });
    }
    expect(simulator.head().seq).toBe(before);
    await call(simulator, 'Say', { text: 'Ada' });
    expect((await ask('POST', '/api/stubs/search', { body: { ...say, data: {} } })).status).toBe(404);
  });

  it('takes the service without its package, and a message by proto or JSON names', async () => {
    const { ask } = await runAdmin({ stubs: [{ ...sayStub, id: one, input: { equals: { text: 'Ada' } } }] });
    const { body } = await ask('POST', '/api/stubs/search', {
      body: { service: 'Talk', method: 'Say', data: { text: 'Ada' } },
    });
    expect(body).toMatchObject({ stubId: one });
  });

  it('answers an error with its code', async () => {
    const { ask } = await runAdmin({ stubs: [{ ...sayStub, output: { error: 'no such thing', code: 5 } }] });
    const { body } = await ask('POST', '/api/stubs/search', { body: { ...say, data: {} } });
    expect(body).toMatchObject({ data: null, error: 'no such thing', code: 5 });
  });

  it('answers all messages of a stream, delays passing at once', async () => {
    const { ask } = await runAdmin({
      stubs: [{ ...say, method: 'Tell', output: { stream: [{ text: 'a' }, { text: 'b' }], delay: '1h' } }],
    });
    const { body } = await ask('POST', '/api/stubs/search', { body: { ...say, method: 'Tell', data: {} } });
    expect(body).toMatchObject({ data: { text: 'a' }, stream: [{ text: 'a' }, { text: 'b' }], code: 0 });
  });

  it('takes the messages of a client that streams', async () => {
    const inputs = [{ equals: { text: 'a' } }, { equals: { text: 'b' } }];
    const { ask } = await runAdmin({ stubs: [{ ...sayStub, id: one, method: 'Gather', inputs }] });
    const search = (input: unknown) =>
      ask('POST', '/api/stubs/search', { body: { ...say, method: 'Gather', input } });
    expect((await search([{ text: 'a' }, { text: 'b' }])).body).toMatchObject({ stubId: one });
    expect((await search([{ text: 'a' }])).status).toBe(404);
  });

  it('asks as the session of the body or of the header', async () => {
    const { ask } = await runAdmin({ stubs: [{ ...sayStub, id: one, session: 'blue' }] });
    const body = { ...say, data: {} };
    expect((await ask('POST', '/api/stubs/search', { body })).status).toBe(404);
    expect((await ask('POST', '/api/stubs/search', { body, session: 'blue' })).status).toBe(200);
    expect((await ask('POST', '/api/stubs/search', { body: { ...body, session: 'blue' } })).status).toBe(200);
  });

  it('compares credentials with those of stubs', async () => {
    const headers = { equals: { Authorization: 'Bearer s3cret' } };
    const { ask } = await runAdmin();
    await ask('POST', '/api/stubs', { body: { ...sayStub, headers } });
    const search = (authorization: string) =>
      ask('POST', '/api/stubs/search', { body: { ...say, data: {}, headers: { authorization } } });
    expect((await search('Bearer s3cret')).status).toBe(200);
    expect((await search('Bearer other')).status).toBe(404);
    expect(JSON.stringify((await search('Bearer other')).body)).not.toContain('other');
  });

  it('asks one stub alone when its id is given, whatever its rules', async () => {
    const { ask } = await runAdmin({
      stubs: [
        { ...sayStub, id: one, priority: 9 },
        { ...sayStub, id: two, input: { equals: { text: 'never' } }, output: { data: { text: 'two' } } },
      ],
    });
    const { body } = await ask('POST', '/api/stubs/search', { body: { ...say, id: two, data: {} } });
    expect(body).toMatchObject({ stubId: two, data: { text: 'two' } });
    expect((await ask('POST', '/api/stubs/search', { body: { ...say, id: three, data: {} } })).status).toBe(
      404,
    );
  });

  it('applies no effects', async () => {
    const { ask } = await runAdmin({
      stubs: [{ ...sayStub, id: one, effects: [{ action: 'delete', id: one }] }],
    });
    await ask('POST', '/api/stubs/search', { body: { ...say, data: {} } });
    expect((await ask('GET', `/api/stubs/${one}`)).status).toBe(200);
  });

  it('answers a miss with the message that a client gets', async () => {
    const { ask } = await runAdmin({
      stubs: [{ ...sayStub, input: { equals: { text: 'Ada', number: 1 } } }],
    });
    const { body } = await ask('POST', '/api/stubs/search', { body: { ...say, data: { text: 'Ada' } } });
    expect(body).toMatchObject({ code: 'DT_CALL_MISSED', detail: expect.stringContaining('Closest match') });
  });

  it('says where a message does not fit', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/stubs/search', { body: { ...say, data: { text: 7 } } });
    expect(body).toMatchObject({
      code: 'DT_REQUEST_INVALID',
      violations: [{ in: 'body', pointer: '/data/text' }],
    });
  });

  it('says that a method is not known', async () => {
    const { ask } = await runAdmin();
    const { status, body } = await ask('POST', '/api/stubs/search', {
      body: { service: 'Talk', method: 'Sing', data: {} },
    });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'DT_CALL_MISSED', detail: expect.stringContaining('Talk/Sing') });
  });

  it('refuses what it does not know', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/stubs/search', { body: { service: 'Talk', dta: {} } });
    expect((body as { violations: unknown[] }).violations).toEqual([
      expect.objectContaining({ message: expect.stringContaining("'method'") }),
      expect.objectContaining({ pointer: '/dta' }),
    ]);
  });
});

describe('POST /api/stubs/inspect', () => {
  it('tells what became of each stub of the method, best first, and uses none up', async () => {
    const { ask, simulator } = await runAdmin({
      stubs: [
        { ...sayStub, id: one, input: { equals: { text: 'Ada' } }, options: { times: 2 } },
        { ...sayStub, id: two, session: 'blue', priority: 5 },
        { ...sayStub, id: three, headers: { equals: { tenant: 'eu' } } },
      ],
    });
    const before = simulator.head().seq;
    const { body } = await ask('POST', '/api/stubs/inspect', {
      body: { ...say, service: 'Talk', input: [{ text: 'Ada' }] },
    });
    expect(body).toMatchObject({
      service: 'talk.v1.Talk',
      matchedStubId: one,
      fallbackToMethod: false,
      error: '',
      stages: [
        { name: 'session', before: 3, after: 2, removed: 1 },
        { name: 'times', before: 2, after: 2, removed: 0 },
        { name: 'headers', before: 2, after: 1, removed: 1 },
        { name: 'input', before: 1, after: 1, removed: 0 },
      ],
      candidates: [
        { id: two, score: 3, visibleBySession: false, matched: false, excludedBy: ['session'] },
        {
          id: one,
          score: 2,
          times: 2,
          used: 0,
          matched: true,
          excludedBy: [],
          events: expect.arrayContaining([{ stage: 'selection', result: 'selected' }]),
        },
        { id: three, score: 1, headersMatched: false, excludedBy: ['headers'] },
      ],
    });
    expect(simulator.head().seq).toBe(before);
  });

  it('names the stub that comes closest when none matches', async () => {
    const { ask } = await runAdmin({
      stubs: [{ ...sayStub, id: one, input: { equals: { text: 'Ada', number: 1 } } }],
    });
    const { body } = await ask('POST', '/api/stubs/inspect', { body: { ...say, input: [{ text: 'Ada' }] } });
    expect(body).toMatchObject({ similarStubId: one, error: 'no stub matches' });
    expect(body).not.toHaveProperty('matchedStubId');
  });

  it('agrees with search on which stub answers', async () => {
    const { ask, simulator } = await runAdmin();
    await load(simulator, [
      { ...sayStub, id: one, input: { contains: { text: 'A' } } },
      { ...sayStub, id: two, input: { contains: { text: 'A' }, equals: { number: 1 } } },
      { ...sayStub, id: three },
    ]);
    for (const [data, expected] of [
      [{ text: 'A' }, one],
      [{ text: 'A', number: 1 }, two],
      [{}, three],
    ] as const) {
      const search = await ask('POST', '/api/stubs/search', { body: { ...say, data } });
      const inspect = await ask('POST', '/api/stubs/inspect', { body: { ...say, data } });
      expect(search.body).toMatchObject({ stubId: expected });
      expect(inspect.body).toMatchObject({ matchedStubId: expected });
    }
  });
});
