import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { LogFailure, type EventLog, type Manifest } from '../../core/simulator/ports.ts';
import { readAnchor } from './anchor.ts';
import type { Durability } from './durability.ts';
import { logFailure } from './failures.ts';
import { makeTake } from './make-take.ts';
import { ManifestTable } from './manifest-table.ts';
import { takeOwnership, type Owner } from './ownership.ts';
import { checkSchema, makeSchema } from './schema.ts';
import { SqliteLog } from './sqlite-log.ts';
import { takeFiles, type TakeFiles } from './take-files.ts';
import { checkHead } from './verification.ts';
import { beginWriting } from './writing.ts';

export type { Durability } from './durability.ts';

export interface SqliteLogOptions {
  /** Where the take is. Absent: in memory, and gone when the log is closed. */
  readonly file?: string;
  /** Given, a take is made where there is none. A take that is there keeps the manifest that it was made with. */
  readonly manifest?: Manifest;
  /** `process` when absent. */
  readonly durability?: Durability;
  /** Opens beside the writer, if there is one, and sees what it has flushed. */
  readonly readOnly?: boolean;
  /** Whose snapshots will be loaded: what lies before the newest is not verified at opening. Absent: all is. */
  readonly reducerDigest?: string;
  /** Goes on from what is there, though entries that were answered are missing at the end. */
  readonly acceptLoss?: boolean;
}

/**
 * A log in an SQLite database. Throws a `LogFailure` for what is not a take, was damaged, has lost entries, takes no writes or
 * is written by another process. Whoever opens it closes it; a process that dies without that loses nothing.
 */
export function openSqliteLog(options: SqliteLogOptions): EventLog {
  if (options.file === undefined) return openInMemory(options);
  const files = takeFiles(options.file);
  try {
    return options.readOnly === true ? openForReading(files, options) : openForWriting(files, options);
  } catch (cause) {
    throw logFailure(`opening ${files.take}`, cause);
  }
}

/** How long a read or write waits for another connection (a person at the `sqlite3` prompt, say). */
const lockWaitMsMax = 1_000;

function openInMemory({ manifest }: SqliteLogOptions): EventLog {
  if (manifest === undefined) throw new Error('a log in memory needs a manifest');
  const database = new Database(':memory:');
  makeSchema(database);
  new ManifestTable(database).putManifest(manifest);
  return new SqliteLog({ database, canWrite: true, name: 'the log in memory' });
}

function openForReading(files: TakeFiles, options: SqliteLogOptions): EventLog {
  refuseUnlessTakeLike(files.take);
  for (let attempt = 1; ; attempt += 1) {
    // Before the database: what is read later can only be further on.
    const anchor = readAnchor(files.anchor);
    const database = new Database(files.take, {
      readonly: true,
      fileMustExist: true,
      timeout: lockWaitMsMax,
    });
    try {
      const log = checkedLog(database, files, false);
      if (options.acceptLoss !== true) checkVouched(log, files, anchor);
      log.verifyTail(options.reducerDigest);
      return log;
    } catch (cause) {
      database.close();
      // A writer may have opened or closed the take between the two looks.
      if (attempt === 2 || !(cause instanceof LogFailure) || cause.code !== 'DT_LOG_TRUNCATED') throw cause;
    }
  }
}

function openForWriting(files: TakeFiles, options: SqliteLogOptions): EventLog {
  if (options.manifest === undefined || exists(files.take)) refuseUnlessTakeLike(files.take);
  const ownership = takeOwnership(files.lock);
  if (ownership === undefined) throw ownedByAnother(files);
  const durability = options.durability ?? 'process';
  let database: Database.Database | undefined;
  try {
    const isFresh = options.manifest !== undefined && !exists(files.take);
    if (isFresh) makeTake(files, options.manifest, durability);
    database = new Database(files.take, { fileMustExist: true, timeout: lockWaitMsMax });
    const log = checkedLog(database, files, true);
    if (options.acceptLoss !== true) checkVouched(log, files, readAnchor(files.anchor));
    log.verifyTail(options.reducerDigest);
    log.surroundWith(beginWriting({ database, log, files, ownership, durability, isFresh }));
    return log;
  } catch (cause) {
    database?.close();
    ownership.release();
    throw cause;
  }
}

function checkedLog(database: Database.Database, files: TakeFiles, canWrite: boolean): SqliteLog {
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  checkSchema(database, files.take);
  return new SqliteLog({ database, canWrite, name: files.take });
}

function checkVouched(log: SqliteLog, files: TakeFiles, anchor: ReturnType<typeof readAnchor>): void {
  const closed = log.manifestTable.closed();
  const head = log.head.seq;
  if (closed !== undefined) checkHead(files.take, log.entries, closed, head);
  if (anchor !== undefined && anchor !== 'damaged') checkHead(files.take, log.entries, anchor, head);
  else if (closed === undefined) throw withoutAnchor(files, anchor, head);
}

function withoutAnchor(files: TakeFiles, anchor: 'damaged' | undefined, head: number): LogFailure {
  const state = anchor === undefined ? 'is missing' : 'is damaged';
  const sentence =
    `${files.take} was not closed, and ${files.anchor}, which says what had been answered, ${state}: ` +
    `entries after ${head} may have been lost`;
  return new LogFailure('DT_LOG_TRUNCATED', sentence);
}

function refuseUnlessTakeLike(take: string): void {
  const found = statSync(take, { throwIfNoEntry: false });
  if (found === undefined) throw new LogFailure('DT_LOG_MISSING', `${take}: there is no such file`);
  if (!found.isFile()) throw new LogFailure('DT_LOG_FOREIGN', `${take} is not a file`);
  if (found.size === 0) throw new LogFailure('DT_LOG_FOREIGN', `${take} is empty, so it is not a take`);
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function ownedByAnother(files: TakeFiles): LogFailure {
  const owner = ownerOf(files.take);
  const who =
    owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  return new LogFailure('DT_LOG_OWNED', `${files.take} is being written by ${who}`);
}

// For the message alone: whatever stands in the way of reading it, the take is owned all the same.
function ownerOf(take: string): Owner | undefined {
  try {
    const database = new Database(take, { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      return new ManifestTable(database).owner();
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}
