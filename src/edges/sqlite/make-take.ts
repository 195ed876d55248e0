import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Manifest } from '../../core/simulator/ports.ts';
import { openAnchor } from './anchor.ts';
import type { Durability } from './durability.ts';
import { ManifestTable } from './manifest-table.ts';
import { thisOwner } from './ownership.ts';
import { formatVersion, makeSchema } from './schema.ts';
import type { TakeFiles } from './take-files.ts';

/**
 * Makes an empty take, ready to be written, under the lock of its owner. It is made beside its place and then moved there, so
 * that a process which dies meanwhile leaves no half of one.
 */
export function makeTake(files: TakeFiles, manifest: Manifest, durability: Durability): void {
  if (manifest.format !== formatVersion) throw new Error(`takes are written in the format ${formatVersion}`);
  removeRemains(files);
  const database = new Database(files.fresh);
  try {
    fillTake(database, manifest);
  } finally {
    database.close();
  }
  syncFile(files.fresh);
  openAnchor(files.anchor, { seq: 0, hash: '0'.repeat(64) }, durability).close();
  renameSync(files.fresh, files.take);
  if (durability === 'power') syncFolder(dirname(files.take));
}

// Of a take that was begun here, or that somebody removed without its companions: SQLite would put an old write-ahead log
// into the new database.
function removeRemains({ wal, shm, journal, fresh }: TakeFiles): void {
  const remains = [wal, shm, journal, fresh, `${fresh}-wal`, `${fresh}-shm`];
  for (const file of remains) rmSync(file, { force: true });
}

function fillTake(database: Database.Database, manifest: Manifest): void {
  // The file is synchronised once, as a whole, before it gets its name.
  database.pragma('synchronous = OFF');
  database.pragma('journal_mode = WAL');
  database.exec('BEGIN');
  makeSchema(database);
  const table = new ManifestTable(database);
  table.putManifest(manifest);
  table.putOpened(thisOwner());
  database.exec('COMMIT');
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

// Without it, a machine that loses power may forget the new name. Not every system lets a folder be opened.
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
