import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import type { EventLog } from '../../../src/core/simulator/ports.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { plainEntries, plainEntry, textsOf } from '../arbitrary-entries.ts';
import { append, itReadsAsALogDoes, itWritesAsALogDoes, manifest } from '../event-log-contract.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'doubletake-'));
let takes = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The memory's tests try more; here each try waits for the disk several times.
const numRuns = 8;

function nextTake(): string {
  takes += 1;
  return join(folder, `${takes}.take`);
}

async function logInAFile(entries: readonly LogEntry[]): Promise<EventLog> {
  const log = openSqliteLog({ file: nextTake(), manifest });
  await append(log, entries);
  return log;
}

async function logOpenedAgain(entries: readonly LogEntry[]): Promise<EventLog> {
  const file = nextTake();
  const log = openSqliteLog({ file, manifest, durability: 'power' });
  await append(log, entries);
  await log.close();
  return openSqliteLog({ file, reducerDigest: 'new' });
}

async function logReadBesideItsWriter(entries: readonly LogEntry[]): Promise<EventLog> {
  const file = nextTake();
  const writer = openSqliteLog({ file, manifest });
  const reader = openSqliteLog({ file, readOnly: true });
  await append(writer, entries);
  return Object.assign(reader, { close: () => void writer.close() });
}

describe('a log in a file', () => {
  itReadsAsALogDoes(logInAFile, numRuns);
  itWritesAsALogDoes(logInAFile, numRuns);
});

describe('a log in a file that was closed and opened again', () => {
  itReadsAsALogDoes(logOpenedAgain, numRuns);
  itWritesAsALogDoes(logOpenedAgain, numRuns);
});

describe('a log in a file that is read while another connection writes it', () => {
  itReadsAsALogDoes(logReadBesideItsWriter, numRuns);

  it('sees what has been flushed since, and writes nothing', async () => {
    const file = nextTake();
    const writer = openSqliteLog({ file, manifest });
    const reader = openSqliteLog({ file, readOnly: true });
    await append(writer, plainEntries(1, 3));
    expect(reader.head).toEqual(writer.head);
    await append(writer, plainEntries(4, 5));
    expect((await reader.read(4, 9)).map((entry) => entry.seq)).toEqual([4, 5]);
    const refusal = expect.objectContaining({ code: 'DT_LOG_READ_ONLY' });
    expect(() => reader.stage(plainEntry(6))).toThrow(refusal);
    expect(() => reader.flush()).toThrow(refusal);
    expect(() => reader.saveSnapshot({ seq: 1, reducerDigest: '', parts: new Map() })).toThrow(refusal);
    await reader.close();
    await writer.close();
  });

  it('does not keep its writer from closing', async () => {
    const file = nextTake();
    const writer = openSqliteLog({ file, manifest });
    await append(writer, plainEntries(1, 3));
    const reader = openSqliteLog({ file, readOnly: true });
    await writer.close();
    expect(textsOf(await reader.read(1, 9))).toEqual(textsOf(plainEntries(1, 3)));
    await reader.close();
    const again = openSqliteLog({ file });
    expect(again.head.seq).toBe(3);
    await again.close();
  });
});

describe('the files of a take', () => {
  it('are one when it has been closed', async () => {
    const inside = temporaryFolder();
    const file = join(inside, 'run.take');
    const log = openSqliteLog({ file, manifest });
    await append(log, plainEntries(1, 3));
    expect(readdirSync(inside).sort()).toEqual(
      ['', '-anchor', '-lock', '-shm', '-wal'].map((suffix) => `run.take${suffix}`),
    );
    await log.close();
    expect(readdirSync(inside)).toEqual(['run.take']);
  });

  it('are an SQLite database that any tool reads', async () => {
    const file = nextTake();
    const log = openSqliteLog({ file, manifest });
    await append(log, [plainEntry(1), plainEntry(2, new Uint8Array(5_000).fill(65))]);
    await log.close();
    const database = new Database(file, { readonly: true });
    const query = `SELECT json_extract(input, '$.method') AS method, length(bytes) AS bytes
                   FROM entries JOIN payloads ON sha256 = json_extract(outcomes, '$[0].bytes')`;
    expect(database.prepare(query).all()).toEqual([{ method: '/talk.v1.Talk/Say', bytes: 5_000 }]);
    expect(database.pragma('application_id', { simple: true })).toBe(Buffer.from('DTAK').readUInt32BE());
    expect(database.pragma('user_version', { simple: true })).toBe(1);
    expect(database.pragma('journal_mode', { simple: true })).toBe('delete');
    database.close();
  });

  it('keep a large payload once, however often it comes', async () => {
    const file = nextTake();
    const log = openSqliteLog({ file, manifest });
    const large = new Uint8Array(100_000).fill(7);
    for (let seq = 1; seq <= 20; seq += 1) await append(log, [plainEntry(seq, Uint8Array.from(large))]);
    await log.close();
    expect(statSync(file).size).toBeLessThan(2 * large.length);
  });

  it('keep a part of a snapshot once while it does not change', async () => {
    const file = nextTake();
    const log = openSqliteLog({ file, manifest });
    await append(log, plainEntries(1, 20));
    const parts = new Map([['stubs', new Uint8Array(100_000).fill(7)]]);
    for (let seq = 1; seq <= 20; seq += 1) await log.saveSnapshot({ seq, reducerDigest: 'r', parts });
    await log.close();
    expect(statSync(file).size).toBeLessThan(200_000);
  });

  it('keep the manifest that the take was made with, whatever is offered later', async () => {
    const file = nextTake();
    await openSqliteLog({ file, manifest }).close();
    const log = openSqliteLog({ file, manifest: { ...manifest, seed: 'other' } });
    expect(log.manifest).toEqual(manifest);
    await log.close();
  });

  it('have names that SQLite would take for addresses, or with signs in them', async () => {
    const inside = temporaryFolder();
    for (const name of ['a?mode=memory#b %20.take', `quote'".take`, 'ünï.take']) {
      const log = openSqliteLog({ file: join(inside, name), manifest });
      await append(log, plainEntries(1, 1));
      await log.close();
      expect(readdirSync(inside)).toContain(name);
    }
  });

  it('say in the anchor what has been answered', async () => {
    const file = nextTake();
    const log = openSqliteLog({ file, manifest });
    for (const entry of plainEntries(1, 12)) {
      await append(log, [entry]);
      const expected = `doubletake anchor ${String(entry.seq).padStart(16, '0')} ${log.head.hash}\n`;
      expect(readFileSync(`${file}-anchor`, 'utf8')).toBe(expected);
    }
    await log.close();
  });
});

const hasTool = (() => {
  try {
    return execFileSync('sqlite3', ['--version']).length > 0;
  } catch {
    return false;
  }
})();

it.runIf(hasTool)('the plain sqlite3 tool reads a take', async () => {
  const file = nextTake();
  const log = openSqliteLog({ file, manifest });
  await append(log, plainEntries(1, 3));
  await log.close();
  expect(execFileSync('sqlite3', [file, 'SELECT count(*), max(seq) FROM entries']).toString()).toBe('3|3\n');
});
