import Database from 'better-sqlite3';
import { LogFailure, type LogHead } from '../../core/simulator/ports.ts';
import { openAnchor, type Anchor } from './anchor.ts';
import { Checkpoints } from './checkpoints.ts';
import { synchronousOf, type Durability } from './durability.ts';
import { logFailure } from './failures.ts';
import { thisOwner, type Ownership } from './ownership.ts';
import type { SqliteLog, Surroundings } from './sqlite-log.ts';
import type { TakeFiles } from './take-files.ts';

export interface Writing {
  readonly database: Database.Database;
  readonly log: SqliteLog;
  readonly files: TakeFiles;
  readonly ownership: Ownership;
  readonly durability: Durability;
  /** It was made a moment ago, so it says already that it is open. */
  readonly isFresh: boolean;
}

/**
 * Turns a checked take into one that is being written. At every moment in between, either the manifest says that the take is
 * closed and where, or the anchor stands beside it.
 */
export function beginWriting(writing: Writing): Surroundings {
  const { database, log, files, ownership, durability } = writing;
  // A file that takes no writes says so here, before anything stands beside it.
  database.exec('BEGIN; DELETE FROM manifest WHERE false; ROLLBACK');
  const anchor = openAnchor(files.anchor, log.head, durability);
  try {
    database.pragma('wal_autocheckpoint = 0');
    if (!writing.isFresh) markOpened(writing);
    database.pragma(`synchronous = ${synchronousOf(durability)}`);
  } catch (cause) {
    anchor.close();
    throw cause;
  }
  const checkpoints = new Checkpoints(database, files.take);

  function finish(head: LogHead): void {
    try {
      markClosed(writing, head);
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

function markOpened({ database, log, durability }: Writing): void {
  switchJournal(database, 'WAL', durability);
  database.pragma(`synchronous = ${synchronousOf(durability)}`);
  log.inTransaction(() => log.manifestTable.putOpened(thisOwner()));
  // That the take is open must not stand in the write-ahead log alone, which may go missing. And after a crash it was there
  // already, perhaps long.
  database.pragma('wal_checkpoint(TRUNCATE)');
}

function markClosed({ database, log, durability }: Writing, head: LogHead): void {
  log.manifestTable.putClosed(head);
  database.pragma('wal_checkpoint(TRUNCATE)');
  try {
    // Whoever is reading is not waited for. Then the file stays in WAL mode until it is closed the next time.
    database.pragma('busy_timeout = 0');
    switchJournal(database, 'DELETE', durability);
  } catch (cause) {
    if (!(cause instanceof Database.SqliteError) || !cause.code.startsWith('SQLITE_BUSY')) throw cause;
  }
}

// A file at rest is not in WAL mode: so it opens from a read-only folder, and reading it leaves no files beside it. The switch
// changes two bytes of the header. Synchronising that would cost more than all else in opening; without, it is safe from a
// kill, and after a power cut either mode reads the file.
function switchJournal(database: Database.Database, mode: 'WAL' | 'DELETE', durability: Durability): void {
  if (durability === 'process') database.pragma('synchronous = OFF');
  const found = String(database.pragma(`journal_mode = ${mode}`, { simple: true }));
  if (mode === 'WAL' && found !== 'wal') {
    throw new LogFailure('DT_LOG_UNREADABLE', 'the file system is not fit for a write-ahead log');
  }
}

function leave(database: Database.Database, anchor: Anchor): void {
  if (database.open) database.close();
  anchor.close();
}
