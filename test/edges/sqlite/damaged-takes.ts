import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import type { LogFailure } from '../../../src/core/simulator/ports.ts';
import { openSqliteLog, type SqliteLogOptions } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { append, manifest } from '../event-log-contract.ts';

/** A take that was closed. */
export async function closedTake(folder: string, entries: readonly LogEntry[]): Promise<string> {
  const file = join(folder, 'closed.take');
  const log = openSqliteLog({ file, manifest });
  await append(log, entries);
  await log.close();
  return file;
}

/** A take as a killed process leaves it: each entry was a flush of its own, and all are in the write-ahead log. */
export async function crashedTake(folder: string, entries: readonly LogEntry[]): Promise<string> {
  const [live, crashed] = [join(folder, 'live.take'), join(folder, 'crashed.take')];
  const log = openSqliteLog({ file: live, manifest });
  for (const entry of entries) await append(log, [entry]);
  copyTake(live, crashed);
  await log.close();
  return crashed;
}

/** Copies a take with the files beside it. */
export function copyTake(from: string, to: string): void {
  for (const suffix of ['', '-wal', '-anchor']) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}

export function flipBit(file: string, bit: number): void {
  const bytes = readFileSync(file);
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  writeFileSync(file, bytes);
}

/** In the column's own bytes, of which a text may then be no UTF-8 any more. */
export function flipBitOfEntry(file: string, seq: number, column: string, bit: number): void {
  const database = new Database(file);
  const select = database.prepare<[number], readonly [string, Buffer]>(
    `SELECT typeof(${column}), CAST(${column} AS BLOB) FROM entries WHERE seq = ?`,
  );
  const [type, bytes] = select.raw().get(seq) ?? ['blob', Buffer.alloc(0)];
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  database.prepare(`UPDATE entries SET ${column} = CAST(? AS ${type}) WHERE seq = ?`).run(bytes, seq);
  database.close();
}

/** Changes a closed take behind its back. */
export function edit(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

/** Why the take does not open; `undefined` when it does. What is not a `LogFailure` is thrown on. */
export async function failureOf(options: SqliteLogOptions): Promise<LogFailure | undefined> {
  try {
    await openSqliteLog(options).close();
    return undefined;
  } catch (failure) {
    if (failure instanceof Error && failure.name === 'LogFailure') return failure as LogFailure;
    throw failure;
  }
}
