import type Database from 'better-sqlite3';
import { LogFailure } from '../../core/simulator/ports.ts';

/** `DTAK`, in the database's header, where `file` and SQLite look for it. */
export const applicationId = 0x4454414b;

/** The newest file format that this code reads and the one that it writes; `user_version` in the header. */
export const formatVersion = 1;

// `entries` is a rowid table without a second index: an index on it costs 40 % of what can be written. Digests are
// lower-case hex, so that a person at the `sqlite3` prompt can follow `"bytes":"9f86…"` from an entry to its payload.
const tables: Readonly<Record<string, string>> = {
  manifest: 'CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  entries:
    'CREATE TABLE entries (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, input TEXT NOT NULL, outcomes TEXT NOT NULL, payload BLOB, hash BLOB NOT NULL)',
  payloads: 'CREATE TABLE payloads (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL)',
  snapshots:
    'CREATE TABLE snapshots (seq INTEGER NOT NULL, reducers TEXT NOT NULL, entry_hash BLOB NOT NULL, parts TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (reducers, seq)) WITHOUT ROWID',
  snapshot_parts: 'CREATE TABLE snapshot_parts (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL)',
};

/** Makes an empty take of an empty database, in the transaction of the caller. */
export function makeSchema(database: Database.Database): void {
  for (const sql of Object.values(tables)) database.exec(sql);
  database.pragma(`application_id = ${applicationId}`);
  database.pragma(`user_version = ${formatVersion}`);
}

/**
 * Throws a `LogFailure` unless the database is a take that this code can read. A take comes from anywhere: what could
 * run in it by itself (triggers, views in place of tables) is refused.
 */
export function checkSchema(database: Database.Database, file: string): void {
  if (database.pragma('application_id', { simple: true }) !== applicationId) {
    throw new LogFailure('DT_LOG_FOREIGN', `${file} is a database, but not a take`);
  }
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > formatVersion) {
    const sentence = `${file} has the format ${version}; this Doubletake reads up to ${formatVersion}`;
    throw new LogFailure('DT_LOG_NEWER', sentence);
  }
  const found = database.prepare<[], SchemaRow>('SELECT type, name, sql FROM sqlite_schema').all();
  for (const [name, sql] of Object.entries(tables)) {
    if (!found.some((row) => row.type === 'table' && row.name === name && row.sql === sql)) {
      throw new LogFailure('DT_LOG_TAMPERED', `${file}: the table ${name} is not as it was made`);
    }
  }
  if (found.some((row) => row.type === 'trigger')) {
    throw new LogFailure('DT_LOG_TAMPERED', `${file}: a take has no triggers, this one has`);
  }
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}
