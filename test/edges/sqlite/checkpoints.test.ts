import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { Checkpoints, type WalLimits } from '../../../src/edges/sqlite/checkpoints.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const kilobytes = 1024;
const limits: WalLimits = {
  checkpointBytes: 64 * kilobytes,
  restartBytes: 512 * kilobytes,
  bytesMax: 2048 * kilobytes,
};

function writtenTo(limits: WalLimits): {
  readonly database: Database.Database;
  readonly checkpoints: Checkpoints;
  readonly walBytes: () => number;
  readonly write: () => void;
} {
  const file = join(temporaryFolder(), 'run.db');
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.pragma('wal_autocheckpoint = 0');
  database.exec('CREATE TABLE t (x BLOB)');
  const insert = database.prepare('INSERT INTO t VALUES (?)');
  const checkpoints = new Checkpoints(database, file, limits);
  const row = new Uint8Array(2_000);
  const write = (): void => {
    insert.run(row);
    checkpoints.afterFlush(row.length);
  };
  return { database, checkpoints, write, walBytes: () => statSync(`${file}-wal`).size };
}

it('the write-ahead log stays short while the worker keeps up', async () => {
  const { database, checkpoints, write, walBytes } = writtenTo(limits);
  for (let written = 0; written < 4_000; written += 1) {
    write();
    // So that the worker's answers are heard.
    if (written % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(walBytes()).toBeLessThan(4 * limits.bytesMax);
  await checkpoints.stop();
  database.close();
});

it('the write-ahead log stays short also when nobody hears the worker', async () => {
  const { database, checkpoints, write, walBytes } = writtenTo(limits);
  for (let written = 0; written < 4_000; written += 1) write();
  expect(walBytes()).toBeLessThan(4 * limits.bytesMax);
  await checkpoints.stop();
  database.close();
});

it('a log that is short starts no worker, and needs no waiting when it stops', () => {
  const { database, checkpoints, write } = writtenTo(limits);
  for (let written = 0; written < 5; written += 1) write();
  expect(checkpoints.stop()).toBeUndefined();
  database.close();
});

it('without checkpoints it would be long', () => {
  const never = { checkpointBytes: Infinity, restartBytes: Infinity, bytesMax: Infinity };
  const { database, write, walBytes } = writtenTo(never);
  for (let written = 0; written < 4_000; written += 1) write();
  expect(walBytes()).toBeGreaterThan(4 * limits.bytesMax);
  database.close();
});
