import { describe, expect, it } from 'vitest';
import { call, converse, manifest } from '../../support/simulate.ts';
import { ids, runAdmin, sayStub } from './running-admin.ts';

interface Page {
  readonly entries: readonly { readonly seq: number }[];
  readonly next: number;
  readonly head: number;
}

describe('GET /api/entries', () => {
  it('gives entries with their bytes in base64', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [sayStub] });
    const { seq } = await call(simulator, 'Say', { text: 'Ada' });
    const { body } = await ask('GET', `/api/entries?from=${seq}`);
    expect(body).toMatchObject({
      entries: [
        {
          seq,
          input: { kind: 'CallOpened', bytes: 'CgNBZGE=' },
          outcomes: [{ kind: 'StubMatched' }, { kind: 'MessageSent' }, {}],
        },
      ],
      next: seq + 1,
      head: seq,
    });
  });

  it('gives the whole log in pages that join', async () => {
    const { ask, simulator } = await runAdmin();
    for (let index = 0; index < 7; index += 1) await call(simulator, 'Say', {});
    const seqs: number[] = [];
    for (let from = 1; from <= simulator.head().seq;) {
      const page = (await ask('GET', `/api/entries?from=${from}&limit=3`)).body as Page;
      seqs.push(...page.entries.map(({ seq }) => seq));
      from = page.next;
    }
    expect(seqs).toEqual(Array.from({ length: simulator.head().seq }, (_, index) => index + 1));
  });

  it('filters by kind, session, service and misses, also what goes on with a call', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [sayStub] });
    const said = await call(simulator, 'Say', {}, { session: 'blue' });
    const missed = await call(simulator, 'Tell', {});
    const gather = await converse(simulator, 'Gather', 'blue');
    await gather.say({ text: 'a' });
    const seqs = async (query: string, session?: string) =>
      (
        (await ask('GET', `/api/entries?${query}`, session === undefined ? {} : { session })).body as Page
      ).entries.map(({ seq }) => seq);
    expect(await seqs('session=blue')).toEqual([said.seq, gather.id, gather.id + 1]);
    expect(await seqs('', 'blue')).toEqual([said.seq, gather.id, gather.id + 1]);
    expect(await seqs('misses=true')).toEqual([missed.seq]);
    expect(await seqs('kind=MessageReceived&kind=StubMatched')).toEqual([said.seq, gather.id + 1]);
    expect(await seqs('service=Talk/Gather')).toEqual([gather.id, gather.id + 1]);
    expect(await seqs(`service=talk.v1.Talk&from=${missed.seq}&to=${gather.id}`)).toEqual([
      missed.seq,
      gather.id,
    ]);
    expect(await seqs(`session=blue&from=${gather.id + 1}`)).toEqual([gather.id + 1]);
  });

  it('says where to go on when it has looked at as many as it may', async () => {
    const { ask, simulator } = await runAdmin({ limits: { entriesScannedMax: 3 } });
    for (let index = 0; index < 7; index += 1) await call(simulator, 'Say', {});
    const { body } = await ask('GET', '/api/entries?kind=Nothing');
    expect(body).toMatchObject({ entries: [], next: 4, head: simulator.head().seq });
  });

  it.each(['from=0', 'from=x', 'limit=0', 'limit=10001', 'misses=perhaps', 'form=1'])(
    'refuses %s',
    async (query) => {
      const { ask } = await runAdmin();
      expect((await ask('GET', `/api/entries?${query}`)).body).toMatchObject({ code: 'DT_REQUEST_INVALID' });
    },
  );
});

describe('GET /api/entries/{seq}', () => {
  it('gives one entry, or says where the log ends', async () => {
    const { ask, simulator } = await runAdmin();
    expect((await ask('GET', '/api/entries/1')).body).toMatchObject({
      seq: 1,
      input: { kind: 'DescriptorsLoaded' },
    });
    const { seq } = simulator.head();
    expect((await ask('GET', `/api/entries/${seq + 1}`)).body).toMatchObject({
      code: 'DT_NOT_FOUND',
      detail: expect.stringContaining(`ends at ${seq}`),
    });
    expect((await ask('GET', '/api/entries/first')).body).toMatchObject({
      code: 'DT_REQUEST_INVALID',
      violations: [{ in: 'path' }],
    });
  });
});

describe('GET /api/state', () => {
  it('gives the world of now, of any seq, or a part of it', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [{ ...sayStub, id: ids[0] }] });
    const { seq } = simulator.head();
    expect((await ask('GET', '/api/state')).body).toMatchObject({
      seq,
      clock: 'virtual',
      rpc: { stubs: { [ids[0]]: {} } },
    });
    expect((await ask('GET', `/api/state?at=${seq - 1}&path=rpc.stubs`)).body).toEqual({});
    expect((await ask('GET', `/api/state?path=rpc.stubs.${ids[0]}.definition.service`)).body).toBe(
      'talk.v1.Talk',
    );
    expect((await ask('GET', '/api/state?at=0&path=seq')).body).toBe(0);
  });

  it('says when there is no such entry or part', async () => {
    const { ask } = await runAdmin();
    expect((await ask('GET', '/api/state?at=99')).body).toMatchObject({ code: 'DT_NOT_FOUND' });
    expect((await ask('GET', '/api/state?path=rpc.nothing')).body).toMatchObject({ code: 'DT_NOT_FOUND' });
    expect((await ask('GET', '/api/state?path=__proto__')).status).toBe(404);
    expect((await ask('GET', '/api/state?path=constructor')).status).toBe(404);
  });
});

it('GET /api/manifest gives what the log says of itself, and where it ends', async () => {
  const { ask, simulator } = await runAdmin();
  expect((await ask('GET', '/api/manifest')).body).toEqual({ manifest: manifest(), head: simulator.head() });
});

describe('GET /api/explain/{seq}', () => {
  it('says why a call was answered, and what came closest when none was', async () => {
    const { ask, simulator } = await runAdmin({
      stubs: [{ ...sayStub, id: ids[0], input: { equals: { text: 'Ada', number: 1 } } }],
    });
    const answered = await call(simulator, 'Say', { text: 'Ada', number: '1' });
    const missed = await call(simulator, 'Say', { text: 'Ada' });
    expect((await ask('GET', `/api/explain/${answered.seq}`)).body).toMatchObject({
      seq: answered.seq,
      call: { verdict: 'answered', method: 'talk.v1.Talk/Say', chosen: { stub: ids[0] } },
    });
    const { body } = await ask('GET', `/api/explain/${missed.seq}`);
    expect(body).toMatchObject({ call: { verdict: 'missed', others: [{ stub: ids[0], matched: false }] } });
    expect(JSON.stringify(body)).toContain('"path":"number"');
  });

  it('says when there is nothing to explain, or no such entry', async () => {
    const { ask } = await runAdmin();
    expect((await ask('GET', '/api/explain/1')).body).toMatchObject({ status: 404, code: 'DT_NOT_A_CALL' });
    expect((await ask('GET', '/api/explain/99')).body).toMatchObject({ status: 404, code: 'DT_NOT_FOUND' });
  });
});
