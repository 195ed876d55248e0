import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Manifest } from '../../core/simulator/ports.ts';
import { ManifestTable } from './manifest-table.ts';
import { formatVersion, makeSchema } from './schema.ts';
import type { TakeFiles } from './take-files.ts';

/**
 * Makes an empty take, under the lock of its owner. It is made beside its place and then moved there, so that a process which
 * dies meanwhile leaves no half of one.
 */
export function makeTake(files: TakeFiles, manifest: Manifest): void {
  if (manifest.format !== formatVersion) throw new Error(`takes are written in the format ${formatVersion}`);
  rmSync(files.fresh, { force: true });
  rmSync(`${files.fresh}-journal`, { force: true });
  const database = new Database(files.fresh);
  try {
    fillTake(database, manifest);
  } finally {
    database.close();
  }
  renameSync(files.fresh, files.take);
  syncFolder(dirname(files.take));
}

function fillTake(database: Database.Database, manifest: Manifest): void {
  database.exec('BEGIN');
  makeSchema(database);
  const table = new ManifestTable(database);
  table.putManifest(manifest);
  table.putClosed({ seq: 0, hash: '0'.repeat(64) });
  database.exec('COMMIT');
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
