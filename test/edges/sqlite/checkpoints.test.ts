import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { Checkpoints, type WalLimits } from '../../../src/edges/sqlite/checkpoints.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const kilobytes = 1024;
const never: WalLimits = { checkpointBytes: Infinity, restartBytes: Infinity, bytesMax: Infinity };

interface Written {
  readonly database: Database.Database;
  readonly checkpoints: Checkpoints;
  readonly write: () => void;
  readonly databaseBytes: () => number;
  /** How much of the write-ahead log is in use; it falls when the log begins from the start. */
  readonly walPages: () => number;
}

function writtenWith(limits: WalLimits): Written {
  const file = join(temporaryFolder(), 'run.db');
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.pragma('wal_autocheckpoint = 0');
  database.exec('CREATE TABLE t (x BLOB)');
  const insert = database.prepare('INSERT INTO t VALUES (?)');
  const checkpoints = new Checkpoints(database, file, limits);
  const row = new Uint8Array(2_000);
  return {
    database,
    checkpoints,
    write() {
      insert.run(row);
      checkpoints.afterFlush(row.length);
    },
    databaseBytes: () => statSync(file).size,
    walPages: () => (database.pragma('wal_checkpoint(NOOP)') as { log: number }[])[0]?.log ?? 0,
  };
}

const writesMax = 20_000;

/** Writes until it is so; true when it came to be. */
async function comesToBe({ write }: Written, isSo: () => boolean, pause: () => unknown): Promise<boolean> {
  for (let written = 0; written < writesMax; written += 1) {
    write();
    if (isSo()) return true;
    await pause();
  }
  return false;
}

// So that the worker's answers are heard.
const hearing = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function restarts({ walPages }: Written): () => boolean {
  let before = 0;
  return () => {
    const now = walPages();
    const isRestarted = now < before;
    before = now;
    return isRestarted;
  };
}

it('what has been written gets into the database by the worker', async () => {
  const written = writtenWith({ ...never, checkpointBytes: 64 * kilobytes });
  expect(written.databaseBytes()).toBeLessThan(64 * kilobytes);
  expect(await comesToBe(written, () => written.databaseBytes() >= 64 * kilobytes, hearing)).toBe(true);
  await written.checkpoints.stop();
  written.database.close();
});

it('the write-ahead log begins from the start when the worker has said that it is long', async () => {
  const limits = { ...never, checkpointBytes: 64 * kilobytes, restartBytes: 256 * kilobytes };
  const written = writtenWith(limits);
  expect(await comesToBe(written, restarts(written), hearing)).toBe(true);
  await written.checkpoints.stop();
  written.database.close();
});

it('the write-ahead log begins from the start also when nobody hears the worker', async () => {
  const limits = { ...never, checkpointBytes: 64 * kilobytes, bytesMax: 512 * kilobytes };
  const written = writtenWith(limits);
  expect(await comesToBe(written, restarts(written), () => undefined)).toBe(true);
  await written.checkpoints.stop();
  written.database.close();
});

it('without checkpoints it would not', async () => {
  const written = writtenWith(never);
  const restarted = restarts(written);
  for (let times = 0; times < 1_000; times += 1) {
    written.write();
    expect(restarted()).toBe(false);
  }
  written.database.close();
});

it('a log that is short starts no worker, and needs no waiting when it stops', () => {
  const { database, checkpoints, write } = writtenWith({ ...never, checkpointBytes: 64 * kilobytes });
  for (let written = 0; written < 5; written += 1) write();
  expect(checkpoints.stop()).toBeUndefined();
  database.close();
});
