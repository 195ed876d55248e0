import Database from 'better-sqlite3';
import { LogFailure, type LogFailureCode } from '../../core/simulator/ports.ts';

/** `cause` as a failure of the log; what is neither SQLite's nor the file system's is a mistake of ours and comes back as it is. */
export function logFailure(doing: string, cause: unknown): unknown {
  if (cause instanceof LogFailure) return cause;
  const errorCode = errorCodeOf(cause);
  if (errorCode === undefined) return cause;
  const code = errorCode.startsWith('SQLITE_') ? codeOfSqlite(errorCode) : codeOfSystem(errorCode);
  return new LogFailure(code, `${doing}: ${sentences[code]} (${errorCode})`, { cause });
}

/** Runs `work`; what it throws comes out as a failure of the log. */
export function failing<Result>(doing: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw logFailure(doing, cause);
  }
}

export function isCorruption(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && codeOfSqlite(cause.code) === 'DT_LOG_TAMPERED';
}

const sentences: Readonly<Record<LogFailureCode, string>> = {
  DT_LOG_FULL: 'there is no room, or a file-size limit was met',
  DT_LOG_READ_ONLY: 'the file, its folder or its file system takes no writes',
  DT_LOG_OWNED: 'another process writes this log',
  DT_LOG_FOREIGN: 'the file is not a take',
  DT_LOG_NEWER: 'a newer Doubletake wrote it',
  DT_LOG_TAMPERED: 'the database is damaged',
  DT_LOG_TRUNCATED: 'entries are missing at the end',
  DT_LOG_UNREADABLE: 'the file cannot be read',
  DT_LOG_MISSING: 'there is no such file',
  DT_LOG_CLOSED: 'the log is closed',
};

function errorCodeOf(cause: unknown): string | undefined {
  if (cause instanceof Database.SqliteError) return cause.code;
  if (cause instanceof Error && 'code' in cause && 'syscall' in cause) return String(cause.code);
  return undefined;
}

// https://www.sqlite.org/rescode.html; extended codes begin with the primary one.
const sqliteCodes: readonly (readonly [prefix: string, code: LogFailureCode])[] = [
  ['SQLITE_FULL', 'DT_LOG_FULL'],
  ['SQLITE_IOERR_WRITE', 'DT_LOG_FULL'],
  ['SQLITE_IOERR_SHMSIZE', 'DT_LOG_FULL'],
  ['SQLITE_READONLY', 'DT_LOG_READ_ONLY'],
  ['SQLITE_PERM', 'DT_LOG_READ_ONLY'],
  ['SQLITE_BUSY', 'DT_LOG_OWNED'],
  ['SQLITE_LOCKED', 'DT_LOG_OWNED'],
  ['SQLITE_PROTOCOL', 'DT_LOG_OWNED'],
  // Entries are only ever appended: the number is taken when somebody else appended, too.
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'DT_LOG_OWNED'],
  ['SQLITE_NOTADB', 'DT_LOG_FOREIGN'],
  ['SQLITE_CORRUPT', 'DT_LOG_TAMPERED'],
];

function codeOfSqlite(errorCode: string): LogFailureCode {
  return sqliteCodes.find(([prefix]) => errorCode.startsWith(prefix))?.[1] ?? 'DT_LOG_UNREADABLE';
}

const systemCodes: Readonly<Record<string, LogFailureCode>> = {
  ENOSPC: 'DT_LOG_FULL',
  EDQUOT: 'DT_LOG_FULL',
  EFBIG: 'DT_LOG_FULL',
  EACCES: 'DT_LOG_READ_ONLY',
  EPERM: 'DT_LOG_READ_ONLY',
  EROFS: 'DT_LOG_READ_ONLY',
  ENOENT: 'DT_LOG_MISSING',
  ENOTDIR: 'DT_LOG_MISSING',
};

function codeOfSystem(errorCode: string): LogFailureCode {
  return systemCodes[errorCode] ?? 'DT_LOG_UNREADABLE';
}
