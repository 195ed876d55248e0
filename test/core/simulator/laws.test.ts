import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { worldAtLog } from '../../../src/core/simulator/create-simulator.ts';
import type { Input } from '../../../src/core/simulator/events.ts';
import { fold } from '../../../src/core/simulator/reduce.ts';
import { recheck } from '../../../src/core/simulator/replay.ts';
import { restoreSnapshot, takeSnapshot, worldDigest } from '../../../src/core/simulator/snapshot.ts';
import { submitted, type Simulator } from '../../../src/core/simulator/simulator.ts';
import { emptyWorld } from '../../../src/core/simulator/world.ts';
import type { StubDefinition } from '../../../src/core/services/rpc/stub.ts';
import { stubsLoadedInput } from '../../../src/core/services/rpc/stubs-loaded.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { manifest, simulate, startAt } from '../../support/simulate.ts';
import { encodeLine } from '../../support/talk-protos.ts';

const folder = mkdtempSync(join(tmpdir(), 'doubletake-laws-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let takes = 0;

// ── Any run: what clients, people and time can do to a simulator ───────────────────────────────────────────

const methods = ['Say', 'Tell', 'Gather', 'Chat'] as const;
const words = fc.constantFrom('a', 'b', 'ab');
const sessions = fc.constantFrom('', 's', 't');
const ids = fc.constantFrom('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222');

const output = fc.oneof(
  fc.record({
    data: fc.record({ text: fc.constantFrom('fixed', '{{.Request.text}} {{uuid}}', '{{.nosuch}}') }),
  }),
  fc.record({
    stream: fc.array(fc.record({ text: words }), { maxLength: 3 }),
    delay: fc.constantFrom('1s', '1500ms'),
  }),
  fc.record({ code: fc.constantFrom(3, 14), error: words, delay: fc.constantFrom('1s', '2s') }),
);
const matcher = fc.oneof(
  fc.record({ equals: fc.record({ text: words }) }),
  fc.record({ contains: fc.record({ text: words }) }),
  fc.record({ matches: fc.record({ text: fc.constant('^a') }), ignoreArrayOrder: fc.boolean() }),
);
const effects = fc.constantFrom<StubDefinition['effects'] & object>(
  [
    {
      action: 'upsert',
      stub: { service: 'Talk', method: 'Say', output: { data: { text: '{{.Request.text}}' } } },
    },
  ],
  [{ action: 'delete', id: '11111111-1111-4111-8111-111111111111' }],
  [{ action: 'upsert', stub: { service: 'Talk', method: 'Say', output: {} } }],
);
const stub = fc.record(
  {
    id: ids,
    service: fc.constantFrom('talk.v1.Talk', 'Talk', 'Unknown'),
    method: fc.constantFrom(...methods),
    priority: fc.integer({ min: -1, max: 1 }),
    input: matcher,
    options: fc.record({ times: fc.integer({ min: 0, max: 2 }) }),
    output,
    effects,
    session: sessions,
  },
  { requiredKeys: ['service', 'method', 'output'] },
);

type Step = (simulator: Simulator) => Promise<unknown>;

/** The id of one of the calls that are open, or one that is not. */
function someCall(simulator: Simulator, pick: number): number {
  const open = [...simulator.world().rpc.calls.keys()].sort((a, b) => a - b);
  return open[pick % Math.max(1, open.length)] ?? pick;
}

function submit(makeInput: (simulator: Simulator) => Input): Step {
  return (simulator) => submitted(simulator, makeInput(simulator));
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .array(stub, { minLength: 1, maxLength: 3 })
    .map((definitions) => submit(() => stubsLoadedInput({ definitions, source: { from: 'api' } }))),
  fc
    .record({ session: sessions }, { requiredKeys: [] })
    .map((which) => submit(() => ({ kind: 'StubsRemoved', ...which }))),
  fc
    .record({
      method: fc.constantFrom('Say', 'Tell', 'Nothing'),
      session: sessions,
      text: words,
      timeoutMs: fc.constantFrom(500, 5000),
    })
    .map(({ method, text, ...call }) =>
      submit(() => ({
        kind: 'CallOpened',
        method: `/talk.v1.Talk/${method}`,
        headers: [['x-word', text]],
        bytes: encodeLine({ text }),
        ...call,
      })),
    ),
  fc
    .record({ method: fc.constantFrom('Gather', 'Chat'), session: sessions })
    .map(({ method, session }) =>
      submit(() => ({ kind: 'CallOpened', method: `/talk.v1.Talk/${method}`, headers: [], session })),
    ),
  fc.record({ pick: fc.nat(5), text: words }).map(({ pick, text }) =>
    submit((simulator) => ({
      kind: 'MessageReceived',
      call: someCall(simulator, pick),
      bytes: encodeLine({ text }),
    })),
  ),
  fc
    .nat(5)
    .map((pick) => submit((simulator) => ({ kind: 'CallHalfClosed', call: someCall(simulator, pick) }))),
  fc
    .nat(5)
    .map((pick) =>
      submit((simulator) => ({ kind: 'CallCancelled', call: someCall(simulator, pick), reason: 'client' })),
    ),
  fc.integer({ min: 0, max: 3000 }).map(
    (ms): Step =>
      (simulator) =>
        simulator.runTo(simulator.world().at + ms),
  ),
);

const run = fc.array(fc.record({ step, reopen: fc.boolean() }), { minLength: 1, maxLength: 25 });

async function play(steps: readonly { readonly step: Step; readonly reopen: boolean }[], mayReopen: boolean) {
  const file = join(folder, `${(takes += 1)}.take`);
  const open = () => simulate([], { log: openSqliteLog({ file, manifest: manifest() }) });
  let simulator = await open();
  for (const { step: act, reopen } of steps) {
    await act(simulator);
    if (!reopen || !mayReopen) continue;
    await simulator.stop();
    simulator = await open();
  }
  const world = simulator.world();
  await simulator.stop();
  return { file, world };
}

async function readAll(file: string) {
  const log = openSqliteLog({ file, readOnly: true });
  const entries = await log.read(1, 100_000);
  return { log, entries };
}

// ── The laws ────────────────────────────────────────────────────────────────────────────────────────────────

test('a run leads to the same world, stopped and opened anywhere or not at all', async () => {
  await fc.assert(
    fc.asyncProperty(run, async (steps) => {
      const broken = await play(steps, true);
      const whole = await play(steps, false);
      expect(worldDigest(broken.world)).toBe(worldDigest(whole.world));
    }),
    { numRuns: 60 },
  );
});

test('folding the log gives the world that served', async () => {
  await fc.assert(
    fc.asyncProperty(run, async (steps) => {
      const { file, world } = await play(steps, true);
      const { log, entries } = await readAll(file);
      expect(worldDigest(fold(emptyWorld(log.manifest), entries))).toBe(worldDigest(world));
      await log.close();
    }),
    { numRuns: 60 },
  );
});

test('what is decided again is what was logged', async () => {
  await fc.assert(
    fc.asyncProperty(run, async (steps) => {
      const { file } = await play(steps, false);
      const { log, entries } = await readAll(file);
      expect(recheck(emptyWorld(log.manifest), entries).divergence).toBeUndefined();
      await log.close();
    }),
    { numRuns: 60 },
  );
});

test('the world at a seq is the fold up to there, whichever snapshots there are', async () => {
  await fc.assert(
    fc.asyncProperty(run, fc.nat(), async (steps, pick) => {
      const { file } = await play(steps, true);
      const { log, entries } = await readAll(file);
      const seq = pick % (entries.length + 1);
      const folded = fold(emptyWorld(log.manifest), entries.slice(0, seq));
      expect(worldDigest(await worldAtLog(log, seq))).toBe(worldDigest(folded));
      await log.close();
    }),
    { numRuns: 60 },
  );
});

test('a world comes out of its snapshot as it went in, and goes on the same', async () => {
  await fc.assert(
    fc.asyncProperty(run, fc.nat(), async (steps, pick) => {
      const { file } = await play(steps, false);
      const { log, entries } = await readAll(file);
      const seq = pick % (entries.length + 1);
      const before = fold(emptyWorld(log.manifest), entries.slice(0, seq));
      const restored = restoreSnapshot(takeSnapshot(before));
      expect(worldDigest(restored)).toBe(worldDigest(before));
      const after = recheck(restored, entries.slice(seq));
      expect(after.divergence).toBeUndefined();
      expect(worldDigest(after.world)).toBe(worldDigest(fold(before, entries.slice(seq))));
      await log.close();
    }),
    { numRuns: 60 },
  );
});

test('the clock of the log never goes back', async () => {
  await fc.assert(
    fc.asyncProperty(run, async (steps) => {
      const { file } = await play(steps, true);
      const { log, entries } = await readAll(file);
      let latest = startAt;
      for (const { at } of entries) {
        expect(at).toBeGreaterThanOrEqual(latest);
        latest = at;
      }
      await log.close();
    }),
    { numRuns: 20 },
  );
});

test('a planted change in one outcome is found at its entry, with its path', async () => {
  const simulator = await simulate([{ output: { data: { text: 'Hello' } } }]);
  await submitted(simulator, {
    kind: 'CallOpened',
    method: '/talk.v1.Talk/Say',
    session: '',
    headers: [],
    bytes: encodeLine({}),
  });
  const entries = [...(await simulator.entries(1, 10))];
  const last = entries.at(-1);
  if (last === undefined) throw new Error('there are entries');
  const outcomes = last.outcomes.map((outcome) =>
    outcome.kind === 'MessageSent' ? { ...outcome, bytes: encodeLine({ text: 'Hullo' }) } : outcome,
  );
  entries.splice(-1, 1, { seq: last.seq, at: last.at, input: last.input, outcomes });
  const { divergence } = recheck(emptyWorld(simulator.manifest), entries);
  expect(divergence).toMatchObject({ seq: last.seq, path: '/1/bytes' });
});
