import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventLog, LogFailureCode } from '../../../src/core/simulator/ports.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { plainEntries, plainEntry, textsOf } from '../arbitrary-entries.ts';
import { append, manifest } from '../event-log-contract.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  closedTake,
  copyTake,
  crashedTake,
  edit,
  failureOf,
  flipBit,
  flipBitOfEntry,
} from './damaged-takes.ts';

const count = 40;
const entries = plainEntries(1, count);

describe('a write-ahead log after a crash', () => {
  it('holds all that was answered', async () => {
    const file = await crashedTake(temporaryFolder(), entries);
    const log = openSqliteLog({ file });
    expect(textsOf(await log.read(1, 100))).toEqual(textsOf(entries));
    await append(log, [plainEntry(count + 1)]);
    await log.close();
    expect(await failureOf({ file })).toBeUndefined();
  });

  it('that is torn anywhere is refused naming what is missing, and the rest can be had when asked for', async () => {
    const folder = temporaryFolder();
    const crashed = await crashedTake(folder, entries);
    const walBytes = statSync(`${crashed}-wal`).size;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: walBytes - 1 }), fc.boolean(), async (length, readOnly) => {
        const file = join(folder, 'torn.take');
        copyTake(crashed, file);
        truncateSync(`${file}-wal`, length);
        const failure = await failureOf({ file, readOnly });
        const log = openSqliteLog({ file, acceptLoss: true });
        const { seq } = log.head;
        const range = seq + 1 === count ? `entry ${count}` : `entries ${seq + 1} to ${count}`;
        expect(failure).toMatchObject({ code: 'DT_LOG_TRUNCATED', message: expect.stringContaining(range) });
        expect(textsOf(await log.read(1, 100))).toEqual(textsOf(entries.slice(0, seq)));
        await goOn(log);
        expect(await failureOf({ file })).toBeUndefined();
      }),
      { numRuns: 15 },
    );
  });

  it('with any bit flipped never loses an entry without a word', async () => {
    const folder = temporaryFolder();
    const crashed = await crashedTake(folder, entries);
    const bits = statSync(`${crashed}-wal`).size * 8;
    await fc.assert(
      fc.asyncProperty(fc.nat(bits - 1), async (bit) => {
        const file = join(folder, 'flipped.take');
        copyTake(crashed, file);
        flipBit(`${file}-wal`, bit);
        expect(await outcomeOf(file)).toMatch(/^(whole|DT_LOG_(TRUNCATED|TAMPERED): .*entr(y|ies) \d+)/s);
      }),
      { numRuns: 40 },
    );
  });

  it('that is missing is noticed', async () => {
    const file = await crashedTake(temporaryFolder(), entries);
    rmSync(`${file}-wal`);
    expect(await failureOf({ file })).toMatchObject({
      code: 'DT_LOG_TRUNCATED',
      message: expect.stringContaining(`entries 1 to ${count} had been written`),
    });
  });
});

describe('the anchor', () => {
  it.each<[string, (anchor: string) => void]>([
    ['missing', (anchor) => rmSync(anchor)],
    ['empty', (anchor) => writeFileSync(anchor, '')],
    ['no anchor', (anchor) => writeFileSync(anchor, 'ahoy')],
  ])('that is %s after a crash is an error, unless the loss is accepted', async (_what, damage) => {
    const file = await crashedTake(temporaryFolder(), entries);
    damage(`${file}-anchor`);
    expect(await failureOf({ file })).toMatchObject({ code: 'DT_LOG_TRUNCATED' });
    expect(await failureOf({ file, readOnly: true })).toMatchObject({ code: 'DT_LOG_TRUNCATED' });
    expect(await failureOf({ file, acceptLoss: true })).toBeUndefined();
    expect(await failureOf({ file })).toBeUndefined();
  });

  it('may be behind: entries that were written and not answered yet are kept', async () => {
    const file = await crashedTake(temporaryFolder(), entries);
    const { hash } = openedHead(await crashedTake(temporaryFolder(), entries.slice(0, 30)));
    writeFileSync(`${file}-anchor`, `doubletake anchor 0000000000000030 ${hash}\n`);
    expect(openedHead(file).seq).toBe(count);
  });

  it('of another run is noticed', async () => {
    const file = await crashedTake(temporaryFolder(), entries);
    const anchor = readFileSync(`${file}-anchor`, 'utf8');
    writeFileSync(`${file}-anchor`, anchor.replace(/[0-9a-f]{64}/, 'f'.repeat(64)));
    expect(await failureOf({ file })).toMatchObject({
      code: 'DT_LOG_TAMPERED',
      message: expect.stringContaining(`entry ${count} is not what was written`),
    });
  });
});

describe('a closed take', () => {
  it('with any bit flipped is whole, or is refused by a failure of the log', async () => {
    const folder = temporaryFolder();
    const closed = await closedTake(folder, [
      ...entries,
      plainEntry(count + 1, new Uint8Array(5_000).fill(7)),
    ]);
    const bits = statSync(closed).size * 8;
    await fc.assert(
      fc.asyncProperty(fc.nat(bits - 1), async (bit) => {
        const file = join(folder, 'flipped.take');
        copyTake(closed, file);
        flipBit(file, bit);
        expect(await outcomeOf(file, count + 1)).toMatch(/^(whole|DT_LOG_[A-Z_]+: )/);
      }),
      { numRuns: 120 },
    );
  });

  it('with any bit of an entry flipped is refused naming that entry', async () => {
    const folder = temporaryFolder();
    const closed = await closedTake(folder, entries);
    const columns = fc.constantFrom('input', 'outcomes', 'payload', 'hash');
    await fc.assert(
      fc.asyncProperty(columns, fc.nat(), fc.integer({ min: 1, max: count }), async (column, bit, seq) => {
        const file = join(folder, 'flipped.take');
        copyTake(closed, file);
        flipBitOfEntry(file, seq, column, bit);
        expect(await failureOf({ file })).toMatchObject({
          code: 'DT_LOG_TAMPERED',
          message: expect.stringContaining(`entry ${seq} is not what was written`),
        });
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, string, LogFailureCode, string]>([
    ['an edited answer', `UPDATE entries SET outcomes = '[]' WHERE seq = 7`, 'DT_LOG_TAMPERED', 'entry 7 is'],
    ['an edited time', 'UPDATE entries SET at = at + 1 WHERE seq = 7', 'DT_LOG_TAMPERED', 'entry 7 is'],
    [
      'an edited payload',
      `UPDATE entries SET payload = x'00' WHERE seq = 7`,
      'DT_LOG_TAMPERED',
      'entry 7 is',
    ],
    [
      'an edited hash',
      `UPDATE entries SET hash = zeroblob(32) WHERE seq = 7`,
      'DT_LOG_TAMPERED',
      'entry 7 is',
    ],
    [
      'a column of another type',
      `UPDATE entries SET input = 1.5 WHERE seq = 7`,
      'DT_LOG_TAMPERED',
      'entry 7 is',
    ],
    ['an entry left out', 'DELETE FROM entries WHERE seq = 7', 'DT_LOG_TAMPERED', 'entry 7 is missing'],
    ['the first left out', 'DELETE FROM entries WHERE seq = 1', 'DT_LOG_TAMPERED', 'entry 1 is missing'],
    [
      'the last left out',
      `DELETE FROM entries WHERE seq = ${count}`,
      'DT_LOG_TRUNCATED',
      `entry ${count} had been`,
    ],
    ['all left out', 'DELETE FROM entries', 'DT_LOG_TRUNCATED', `entries 1 to ${count} had been`],
    [
      'another seed',
      `UPDATE manifest SET value = replace(value, 'seven', 'eight')`,
      'DT_LOG_TAMPERED',
      'entry 1 is',
    ],
    ['no manifest', `DELETE FROM manifest WHERE key = 'manifest'`, 'DT_LOG_TAMPERED', 'the manifest is not'],
    ['no JSON for one', `UPDATE manifest SET value = '{'`, 'DT_LOG_TAMPERED', 'the manifest is not'],
  ])('with %s is refused', async (_what, sql, code, message) => {
    const file = await closedTake(temporaryFolder(), entries);
    edit(file, sql);
    for (const readOnly of [false, true]) {
      const failure = await failureOf({ file, readOnly });
      expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    }
  });

  it.each([
    ['missing', 'DELETE FROM payloads'],
    ['another', 'UPDATE payloads SET bytes = zeroblob(5000)'],
  ])('with a large payload that is %s is refused naming the entry', async (_what, sql) => {
    const file = await closedTake(temporaryFolder(), [
      ...entries,
      plainEntry(41, new Uint8Array(5_000).fill(7)),
    ]);
    edit(file, sql);
    expect(await failureOf({ file })).toMatchObject({
      code: 'DT_LOG_TAMPERED',
      message: expect.stringContaining('entry 41 is not what was written: its payload'),
    });
  });
});

describe('snapshots of a take', () => {
  it('spare the opening what lies before them; verifying reads it all the same', async () => {
    const file = await takeWithSnapshots(20);
    edit(file, `UPDATE entries SET outcomes = '[]' WHERE seq = 7`);
    const log = openSqliteLog({ file, reducerDigest: 'r' });
    expect(() => log.verify()).toThrow('entry 7 is not what was written');
    await log.close();
    expect(await failureOf({ file, reducerDigest: 'other reducers' })).toMatchObject({
      code: 'DT_LOG_TAMPERED',
    });
  });

  it('do not spare the opening what lies behind them, nor their own entry, nor the manifest', async () => {
    for (const [seq, sql] of [
      [30, `UPDATE entries SET outcomes = '[]' WHERE seq = 30`],
      [20, 'UPDATE entries SET hash = zeroblob(32) WHERE seq = 20'],
      [1, `UPDATE manifest SET value = replace(value, 'seven', 'eight')`],
    ] as const) {
      const file = await takeWithSnapshots(20);
      edit(file, sql);
      const message = expect.stringContaining(`entry ${seq} is not what was written`);
      expect(await failureOf({ file, reducerDigest: 'r' })).toMatchObject({
        code: 'DT_LOG_TAMPERED',
        message,
      });
    }
  });

  it.each([
    ['its parts', 'UPDATE snapshot_parts SET bytes = zeroblob(9) WHERE rowid = 2'],
    ['their list', `UPDATE snapshots SET parts = '[]' WHERE seq = 20`],
    ['its entry', 'UPDATE snapshots SET entry_hash = zeroblob(32) WHERE seq = 20'],
  ])('are passed over when %s changed, and verifying names them', async (_what, sql) => {
    const file = await takeWithSnapshots(10, 20);
    edit(file, sql);
    const log = openSqliteLog({ file });
    expect((await log.loadSnapshot(count, 'r'))?.seq).toBe(10);
    expect(() => log.verify()).toThrow('the snapshot at entry 20 is not what was written');
    await log.close();
  });
});

async function takeWithSnapshots(...seqs: readonly number[]): Promise<string> {
  const file = join(temporaryFolder(), 'run.take');
  const log = openSqliteLog({ file, manifest });
  await append(log, entries);
  for (const seq of seqs) {
    await log.saveSnapshot({ seq, reducerDigest: 'r', parts: new Map([['part', new Uint8Array([seq])]]) });
  }
  await log.close();
  return file;
}

function openedHead(file: string): EventLog['head'] {
  const log = openSqliteLog({ file, readOnly: true });
  const { head } = log;
  void log.close();
  return head;
}

async function goOn(log: EventLog): Promise<void> {
  await append(log, [plainEntry(log.head.seq + 1)]);
  await log.verify();
  await log.close();
}

// What becomes of a take that may be damaged: it opens, verifies and holds every entry, or a failure of the log says why not.
async function outcomeOf(file: string, expected = count): Promise<string> {
  let log: EventLog | undefined;
  try {
    log = openSqliteLog({ file, readOnly: true });
    await log.verify();
    const found = await log.read(1, 1_000);
    return found.length === expected ? 'whole' : `only ${found.length} entries`;
  } catch (failure) {
    const { name, code, message } = failure as { name: string; code?: string; message: string };
    return name === 'LogFailure' ? `${code}: ${message}` : `${name}: ${message}`;
  } finally {
    await log?.close();
  }
}
