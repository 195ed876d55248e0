import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';

// The writer holds SQLite's exclusive lock on an empty file beside the take, from opening to closing. The operating system
// drops it when the process dies, however it dies; so no lock is ever stale. The take's own lock cannot serve: the
// writer gives it up between two flushes, and readers could not read.

/** Who writes a take. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
}

export function thisOwner(): Owner {
  return { pid: process.pid, host: hostname(), since: new Date().toISOString() };
}

export interface Ownership {
  release(): void;
}

const attemptsMax = 5;

/** `undefined` when another process, or another log of this one, has it. Throws SQLite's or the system's error. */
export function takeOwnership(lockFile: string): Ownership | undefined {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const before = inodeOf(lockFile) ?? makeLockFile(lockFile);
    const connection = lockedConnection(lockFile);
    if (connection === undefined) return undefined;
    // The owner before us may have removed the file after we opened it. Then our lock is on a file that nobody else sees.
    if (inodeOf(lockFile) === before) return { release: () => release(connection, lockFile) };
    connection.close();
  }
  return undefined;
}

function lockedConnection(lockFile: string): Database.Database | undefined {
  const connection = new Database(lockFile, { timeout: 0 });
  try {
    // No journal file beside the lock.
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (cause) {
    connection.close();
    if (cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY')) return undefined;
    throw cause;
  }
}

// Removed while it is locked: afterwards it could be somebody else's. Where open files cannot be removed, it stays; an empty
// file does no harm.
function release(connection: Database.Database, lockFile: string): void {
  try {
    rmSync(lockFile, { force: true });
  } catch {
    // The folder may have become read-only, too.
  }
  connection.close();
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

function makeLockFile(file: string): bigint {
  closeSync(openSync(file, 'a'));
  return statSync(file, { bigint: true }).ino;
}
