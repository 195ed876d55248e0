import { describe, expect, it } from 'vitest';
import { call } from '../../support/simulate.ts';
import { ids, runAdmin, sayStub } from './running-admin.ts';

const [one, two, three] = ids;

describe('POST /api/stubs', () => {
  it('loads one stub and answers its id, when the entry is durable', async () => {
    const { ask, simulator } = await runAdmin();
    const reply = await ask('POST', '/api/stubs', { body: { ...sayStub, id: one } });
    expect(reply.body).toEqual([one]);
    expect(reply.headers['x-doubletake-entry']).toBe(String(simulator.head().seq));
    const [entry] = await simulator.entries(simulator.head().seq, 1);
    expect(entry?.input).toMatchObject({ kind: 'StubsLoaded', source: { from: 'api' }, session: '' });
  });

  it('loads a list, and gives ids to those that have none', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/stubs', { body: [{ ...sayStub, id: one }, sayStub] });
    expect(body).toEqual([one, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('replaces a stub by its id, and the stub keeps its place', async () => {
    const { ask } = await runAdmin();
    await ask('POST', '/api/stubs', {
      body: [
        { ...sayStub, id: one },
        { ...sayStub, id: two },
      ],
    });
    await ask('POST', '/api/stubs', { body: { ...sayStub, id: one, priority: 7 } });
    const { body } = await ask('GET', '/api/stubs');
    expect(body).toMatchObject([{ id: one, priority: 7 }, { id: two }]);
  });

  it.each(['application/yaml', 'application/x-yaml', 'text/yaml; charset=utf-8'])(
    'takes YAML as %s',
    async (type) => {
      const { ask } = await runAdmin();
      const bytes = `- id: ${one}\n  service: talk.v1.Talk\n  method: Say\n  output: {data: {text: hello}}\n`;
      expect((await ask('POST', '/api/stubs', { bytes, headers: { 'content-type': type } })).body).toEqual([
        one,
      ]);
      expect((await ask('GET', `/api/stubs/${one}`)).body).toMatchObject({ ...sayStub, id: one });
    },
  );

  it('lists every broken rule with its pointer, and loads nothing', async () => {
    const { ask, simulator } = await runAdmin();
    const before = simulator.head().seq;
    const broken = [
      sayStub,
      { service: '', method: 'Say', output: { code: 17 } },
      { ...sayStub, unknown: 1 },
    ];
    const { status, body } = await ask('POST', '/api/stubs', { body: broken });
    expect(status).toBe(400);
    const { code, violations } = body as { code: string; violations: readonly { pointer: string }[] };
    expect(code).toBe('DT_STUB_INVALID');
    expect(violations.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/1/service', '/1/output/code', '/2/unknown']),
    );
    expect(simulator.head().seq).toBe(before);
  });

  it('refuses data that does not fit the message of the method', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/stubs', {
      body: { ...sayStub, output: { data: { no_such: 1 } } },
    });
    expect(body).toMatchObject({
      code: 'DT_STUB_INVALID',
      violations: [{ pointer: expect.stringContaining('/output/data') }],
    });
  });

  it('says how many warnings the entry holds', async () => {
    const { ask } = await runAdmin();
    const { headers } = await ask('POST', '/api/stubs', { body: { ...sayStub, service: 'not.yet.Known' } });
    expect(headers['x-doubletake-warnings']).toBe('1');
  });

  it.each([
    ['{"service":', 'not JSON'],
    ['{"service": "a", "service": "b"}', 'not JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'not UTF-8'],
    ['['.repeat(100_000), 'not JSON'],
  ])('answers a body that is no JSON (%s) with where it breaks off', async (bytes, what) => {
    const { ask } = await runAdmin();
    const { status, body } = await ask('POST', '/api/stubs', {
      bytes,
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'DT_REQUEST_MALFORMED',
      detail: expect.stringContaining(what),
      violations: [{}],
    });
  });

  it('names the lines of broken YAML', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/stubs', {
      bytes: 'a: 1\nb: [',
      headers: { 'content-type': 'text/yaml' },
    });
    expect(body).toMatchObject({ code: 'DT_REQUEST_MALFORMED', violations: [{ line: 2 }] });
  });

  it('refuses no body at all', async () => {
    const { ask } = await runAdmin();
    expect((await ask('POST', '/api/stubs', {})).body).toMatchObject({ code: 'DT_STUB_INVALID' });
  });

  it('keeps credentials out of the log and of answers', async () => {
    const { ask, simulator } = await runAdmin();
    const headers = { equals: { authorization: 'Bearer s3cret-token' } };
    await ask('POST', '/api/stubs', { body: { ...sayStub, id: one, headers } });
    const [entry] = await simulator.entries(simulator.head().seq, 1);
    expect(
      Buffer.from(entry?.input.kind === 'StubsLoaded' ? entry.input.bytes : []).toString(),
    ).not.toContain('s3cret');
    const shown = await ask('GET', `/api/stubs/${one}`);
    expect(JSON.stringify(shown.body)).toContain('Bearer fp_');
  });

  it('keeps 64-bit numbers exact', async () => {
    const { ask } = await runAdmin();
    const bytes = JSON.stringify({ ...sayStub, id: one, input: { equals: { number: 0 } } }).replace(
      ':0}',
      ':9007199254740993}',
    );
    await ask('POST', '/api/stubs', { bytes, headers: { 'content-type': 'application/json' } });
    const search = (number: string) =>
      ask('POST', '/api/stubs/search', { body: { service: 'Talk', method: 'Say', data: { number } } });
    expect((await search('9007199254740993')).status).toBe(200);
    expect((await search('9007199254740992')).status).toBe(404);
  });
});

describe('GET /api/stubs', () => {
  const stubs = [
    { ...sayStub, id: one, input: { equals: { text: 'a' } } },
    { ...sayStub, id: two, session: 'blue' },
    { ...sayStub, id: three, method: 'Tell', session: 'red' },
  ];

  it.each([
    ['', [one, two, three]],
    ['?service=Talk', [one, two, three]],
    ['?service=talk.v1.Talk&method=Tell', [three]],
    ['?service=v1.Talks', []],
    ['?session=blue', [two]],
    ['?session=', [one]],
    ['?source=api', [one, two, three]],
    ['?source=rest', [one, two, three]],
    ['?source=file', []],
    ['?q=TELL', [three]],
    [`?q=${two.slice(0, 8)}`, [two]],
  ])('%s lists the stubs that pass, in order', async (query, expected) => {
    const { ask } = await runAdmin({ stubs });
    const { body, headers } = await ask('GET', `/api/stubs${query}`);
    expect((body as readonly { id: string }[]).map(({ id }) => id)).toEqual(expected);
    expect(headers['x-total-count']).toBe(String(expected.length));
  });

  it('gives pages, and how many there are in all', async () => {
    const { ask } = await runAdmin({ stubs });
    const { body, headers } = await ask('GET', '/api/stubs?offset=1&limit=1');
    expect(body).toMatchObject([{ id: two }]);
    expect(headers['x-total-count']).toBe('3');
  });

  it('shows a session its own stubs and the global ones', async () => {
    const { ask } = await runAdmin({ stubs });
    expect((await ask('GET', '/api/stubs', { session: 'blue' })).body).toMatchObject([
      { id: one },
      { id: two },
    ]);
    expect((await ask('GET', '/api/stubs', { headers: { 'x-gripmock-session': 'red' } })).body).toMatchObject(
      [{ id: one }, { id: three }],
    );
  });

  it.each(['?limit=0', '?limit=x', '?offset=-1', '?source=elsewhere', '?sevrice=Talk', '?limit=1&limit=2'])(
    'refuses %s',
    async (query) => {
      const { ask } = await runAdmin();
      const { status, body } = await ask('GET', `/api/stubs${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'DT_REQUEST_INVALID', violations: [{ in: 'query' }] });
    },
  );

  it('gives what can be posted again', async () => {
    const { ask } = await runAdmin({ stubs });
    const shown = await ask('GET', '/api/stubs');
    expect((await ask('POST', '/api/stubs', { body: shown.body })).body).toEqual([one, two, three]);
    const again = await ask('GET', '/api/stubs');
    expect(again.body).toEqual(shown.body);
  });
});

describe('GET /api/stubs/used and /unused', () => {
  it('tell stubs that have answered from those that have not, with how often', async () => {
    const { ask, simulator } = await runAdmin({
      stubs: [
        { ...sayStub, id: one },
        { ...sayStub, id: two, method: 'Tell' },
      ],
    });
    await call(simulator, 'Say', {});
    await call(simulator, 'Say', {}, { session: 'blue' });
    expect((await ask('GET', '/api/stubs/used')).body).toMatchObject([{ id: one, used: true, uses: 2 }]);
    expect((await ask('GET', '/api/stubs/unused')).body).toMatchObject([{ id: two, used: false, uses: 0 }]);
    expect((await ask('GET', '/api/stubs/used', { session: 'blue' })).body).toMatchObject([
      { id: one, uses: 1 },
    ]);
    expect((await ask('GET', '/api/stubs/used', { session: 'red' })).body).toEqual([]);
    expect((await ask('GET', '/api/stubs/unused?method=Say', { session: 'red' })).body).toMatchObject([
      { id: one },
    ]);
  });
});

describe('a single stub', () => {
  it('is shown and removed by its id', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [{ ...sayStub, id: one }] });
    expect((await ask('GET', `/api/stubs/${one}`)).body).toMatchObject({
      ...sayStub,
      id: one,
      source: 'api',
    });
    const removed = await ask('DELETE', `/api/stubs/${one}`);
    expect(removed.status).toBe(204);
    expect(removed.headers['x-doubletake-entry']).toBe(String(simulator.head().seq));
    expect((await ask('GET', `/api/stubs/${one}`)).status).toBe(404);
  });

  it('that is not there is 404, and no entry', async () => {
    const { ask, simulator } = await runAdmin();
    const before = simulator.head().seq;
    expect((await ask('DELETE', `/api/stubs/${one}`)).body).toMatchObject({ code: 'DT_NOT_FOUND' });
    expect(simulator.head().seq).toBe(before);
  });

  it('of another session is neither seen nor removed, and a global one is seen only', async () => {
    const { ask } = await runAdmin({
      stubs: [
        { ...sayStub, id: one },
        { ...sayStub, id: two, session: 'blue' },
      ],
    });
    expect((await ask('GET', `/api/stubs/${two}`, { session: 'red' })).status).toBe(404);
    expect((await ask('DELETE', `/api/stubs/${two}`, { session: 'red' })).status).toBe(404);
    expect((await ask('GET', `/api/stubs/${one}`, { session: 'red' })).status).toBe(200);
    expect((await ask('DELETE', `/api/stubs/${one}`, { session: 'red' })).status).toBe(404);
    expect((await ask('DELETE', `/api/stubs/${two}`, { session: 'blue' })).status).toBe(204);
  });

  it('is loaded into the session of the header, unless it names one', async () => {
    const { ask } = await runAdmin();
    await ask('POST', '/api/stubs', {
      session: 'blue',
      body: [
        { ...sayStub, id: one },
        { ...sayStub, id: two, session: 'red' },
      ],
    });
    expect((await ask('GET', `/api/stubs/${one}`)).body).toMatchObject({ session: 'blue' });
    expect((await ask('GET', `/api/stubs/${two}`)).body).toMatchObject({ session: 'red' });
    expect((await ask('GET', '/api/sessions')).body).toEqual({ sessions: ['blue', 'red'] });
  });
});

describe('removing several stubs', () => {
  const stubs = [
    { ...sayStub, id: one },
    { ...sayStub, id: two, session: 'blue' },
    { ...sayStub, id: three, session: 'blue' },
  ];
  const left = async (ask: Awaited<ReturnType<typeof runAdmin>>['ask']) =>
    ((await ask('GET', '/api/stubs')).body as readonly { id: string }[]).map(({ id }) => id);

  it('removes all of them, or those of the session', async () => {
    const { ask } = await runAdmin({ stubs });
    expect((await ask('DELETE', '/api/stubs', { session: 'blue' })).status).toBe(204);
    expect(await left(ask)).toEqual([one]);
    expect(
      (await ask('DELETE', '/api/stubs', { headers: { 'content-type': 'application/json' } })).status,
    ).toBe(204);
    expect(await left(ask)).toEqual([]);
  });

  it('by id removes all that are named or, when one is missing, none', async () => {
    const { ask } = await runAdmin({ stubs });
    const unknown = '00000000-0000-4000-8000-000000000000';
    const missing = await ask('POST', '/api/stubs/batchDelete', { body: [one, unknown] });
    expect(missing.body).toMatchObject({ code: 'DT_NOT_FOUND', detail: expect.stringContaining(unknown) });
    expect((await ask('POST', '/api/stubs/batchDelete', { body: [one, two], session: 'blue' })).status).toBe(
      404,
    );
    expect(await left(ask)).toHaveLength(3);
    expect((await ask('POST', '/api/stubs/batchDelete', { body: [one, three] })).status).toBe(204);
    expect(await left(ask)).toEqual([two]);
  });

  it('by id refuses what is no list of ids', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('POST', '/api/stubs/batchDelete', { body: [7] });
    expect(body).toMatchObject({ code: 'DT_REQUEST_INVALID', violations: [{ in: 'body', pointer: '/0' }] });
  });
});

describe('POST /api/stubs/validate', () => {
  it('gives the stubs back and loads nothing', async () => {
    const { ask, simulator } = await runAdmin();
    const before = simulator.head().seq;
    expect((await ask('POST', '/api/stubs/validate', { body: sayStub })).body).toEqual([sayStub]);
    expect(simulator.head().seq).toBe(before);
  });

  it('lists what loading would', async () => {
    const { ask } = await runAdmin();
    const { status, body } = await ask('POST', '/api/stubs/validate', {
      body: [{ ...sayStub, input: {}, inputs: [] }],
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'DT_STUB_INVALID' });
  });
});
