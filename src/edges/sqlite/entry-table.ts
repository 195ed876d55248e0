import type Database from 'better-sqlite3';
import type { EncodedEntry, EntryRow } from '../../core/kernel/entry-codec.ts';
import { LogFailure } from '../../core/simulator/ports.ts';
import { failing, isCorruption } from './failures.ts';

/** An entry on its way into the log, with its chain hash. */
export interface StagedEntry {
  readonly row: EncodedEntry;
  readonly hash: Uint8Array;
}

/** A row as it stands in the table. SQLite does not hold columns to their types: damage can put anything there. */
export type RawRow = readonly [
  seq: number,
  at: number,
  input: string,
  outcomes: string,
  payload: Uint8Array | null,
  hash: Uint8Array,
];

/** The rows of `entries`; appended to, and never changed. */
export class EntryTable {
  readonly #insert: Database.Statement;
  readonly #page: Database.Statement<[number, number], RawRow>;
  readonly #last: Database.Statement<[], readonly [number, Uint8Array]>;
  readonly #hash: Database.Statement<[number], Uint8Array>;

  constructor(database: Database.Database) {
    this.#insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)');
    this.#page = database
      .prepare<[number, number], RawRow>('SELECT * FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?')
      .raw();
    this.#last = database
      .prepare<[], readonly [number, Uint8Array]>('SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1')
      .raw();
    this.#hash = database.prepare<[number], Uint8Array>('SELECT hash FROM entries WHERE seq = ?').pluck();
  }

  append({ row, hash }: StagedEntry): void {
    this.#insert.run(row.seq, row.at, row.input, row.outcomes, row.payload ?? null, hash);
  }

  /** The rows from `from` on, at most `limit`, without a gap; throws a `LogFailure` that names the first that is missing. */
  page(from: number, limit: number): RawRow[] {
    const rows = this.#rows(from, limit);
    for (let index = 0; index < rows.length; index += 1) {
      if (rows[index]?.[0] !== from + index) throw missing(from + index);
    }
    return rows;
  }

  last(): { readonly seq: number; readonly hash: Uint8Array } | undefined {
    const row = failing('reading the last entry', () => this.#last.get());
    if (row === undefined) return undefined;
    const [seq, hash] = row;
    if (!isDigest(hash)) throw tampered(seq, 'its hash is not a hash');
    return { seq, hash };
  }

  hashOf(seq: number): Uint8Array | undefined {
    const hash = failing(`reading entry ${seq}`, () => this.#hash.get(seq));
    return isDigest(hash) ? hash : undefined;
  }

  #rows(from: number, limit: number): RawRow[] {
    try {
      return this.#page.all(from, limit);
    } catch (cause) {
      if (!isCorruption(cause)) return failing(`reading entries from ${from}`, () => rethrown(cause));
      throw tampered(this.#firstUnreadable(from, limit), 'its page of the database is damaged', cause);
    }
  }

  // A page of the database holds several rows; the first that cannot be read by itself is the one to name.
  #firstUnreadable(from: number, limit: number): number {
    for (let seq = from; seq < from + limit; seq += 1) {
      try {
        this.#page.all(seq, 1);
      } catch {
        return seq;
      }
    }
    return from;
  }
}

/** The row as core reads it. */
export function entryRow(raw: RawRow): EntryRow {
  return { seq: raw[0], at: raw[1], input: raw[2], outcomes: raw[3], payload: raw[4] ?? undefined };
}

/** True when the columns hold what they are meant to. */
export function isWellFormed([seq, at, input, outcomes, payload, hash]: RawRow): boolean {
  return (
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(at) &&
    typeof input === 'string' &&
    typeof outcomes === 'string' &&
    (payload === null || payload instanceof Uint8Array) &&
    isDigest(hash)
  );
}

export function tampered(seq: number, reason: string, cause?: unknown): LogFailure {
  return new LogFailure('DT_LOG_TAMPERED', `entry ${seq} is not what was written: ${reason}`, { cause });
}

export function missing(seq: number): LogFailure {
  return new LogFailure('DT_LOG_TAMPERED', `entry ${seq} is missing, though later ones are there`);
}

function isDigest(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === 32;
}

function rethrown(cause: unknown): never {
  throw cause;
}
