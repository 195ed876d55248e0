import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { LogFailure, type LogHead } from '../../core/simulator/ports.ts';
import { openAnchor, type Anchor } from './anchor.ts';
import { Checkpoints } from './checkpoints.ts';
import { logFailure } from './failures.ts';
import type { Owner, Ownership } from './ownership.ts';
import type { SqliteLog, Surroundings } from './sqlite-log.ts';
import type { TakeFiles } from './take-files.ts';

/** What an answered entry survives: `process`, that this process is killed; `power`, that the machine loses power. */
export type Durability = 'process' | 'power';

export interface Writing {
  readonly database: Database.Database;
  readonly log: SqliteLog;
  readonly files: TakeFiles;
  readonly ownership: Ownership;
  readonly durability: Durability;
}

/**
 * Turns a checked take into one that is being written. At every moment in between, either the manifest says that the take is
 * closed and where, or the anchor stands beside it.
 */
export function beginWriting({ database, log, files, ownership, durability }: Writing): Surroundings {
  const anchor = openAnchor(files.anchor, log.head);
  try {
    markOpened(database, log);
  } catch (cause) {
    anchor.close();
    throw cause;
  }
  database.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  const checkpoints = new Checkpoints(database, files.take);

  function finish(head: LogHead): void {
    try {
      markClosed(database, log, head);
      database.close();
      anchor.remove();
    } catch (cause) {
      // The take is then as after a crash: the anchor vouches for it, and the next opening goes on.
      leave(database, anchor);
      throw logFailure(`closing ${files.take}`, cause);
    } finally {
      ownership.release();
    }
  }

  return {
    flushed(head, bytes) {
      anchor.moveTo(head);
      checkpoints.afterFlush(bytes);
    },
    close(head) {
      const stopping = checkpoints.stop();
      if (stopping === undefined) return finish(head);
      return stopping.then(() => finish(head));
    },
  };
}

function markOpened(database: Database.Database, log: SqliteLog): void {
  database.pragma('synchronous = FULL');
  log.manifestTable.putOpened(thisOwner());
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal') {
    throw new LogFailure('DT_LOG_UNREADABLE', 'the file system is not fit for a write-ahead log');
  }
  database.pragma('wal_autocheckpoint = 0');
  // After a crash the write-ahead log was there already. That the take is open must not stand in it alone: it could go missing.
  database.pragma('wal_checkpoint(TRUNCATE)');
}

function markClosed(database: Database.Database, log: SqliteLog, head: LogHead): void {
  database.pragma('synchronous = FULL');
  log.manifestTable.putClosed(head);
  database.pragma('wal_checkpoint(TRUNCATE)');
  try {
    // A file that is not in WAL mode opens from a read-only folder, too.
    database.pragma('busy_timeout = 0');
    database.pragma('journal_mode = DELETE');
  } catch (cause) {
    // Somebody is reading. The file stays in WAL mode until it is closed the next time; all that is in it is in it.
    if (!(cause instanceof Database.SqliteError) || !cause.code.startsWith('SQLITE_BUSY')) throw cause;
  }
}

function leave(database: Database.Database, anchor: Anchor): void {
  if (database.open) database.close();
  anchor.close();
}

function thisOwner(): Owner {
  return { pid: process.pid, host: hostname(), since: new Date().toISOString() };
}
