import type Database from 'better-sqlite3';
import type { EncodedEntry, EntryRow } from '../../core/kernel/entry-codec.ts';
import { LogFailure } from '../../core/simulator/ports.ts';
import { isCorruption, failing, logFailure } from './failures.ts';

/** An entry on its way into the log, with its chain hash. */
export interface StagedEntry {
  readonly row: EncodedEntry;
  readonly hash: Uint8Array;
}

/** An entry as it stands in the log, with the hash that stands beside it. */
export interface ChainedRow {
  readonly row: EntryRow;
  readonly hash: Uint8Array;
}

// Blobs are read as hex: a buffer of its own for each row costs more than all the rest of reading it, and who folds rarely
// looks at the payloads. SQLite does not hold columns to their types, so damage can put anything there.
type Columns = readonly [
  seq: number,
  at: number,
  input: string,
  outcomes: string,
  payload: string,
  hash?: string,
];
type ChainedColumns = Required<Columns>;

/** The rows of `entries`; appended to, and never changed. */
export class EntryTable {
  readonly #insert: Database.Statement;
  readonly #page: Database.Statement<[number, number], Columns>;
  readonly #chained: Database.Statement<[number, number], ChainedColumns>;
  readonly #last: Database.Statement<[], readonly [number, Uint8Array]>;
  readonly #hash: Database.Statement<[number], Uint8Array>;

  constructor(database: Database.Database) {
    const page = 'FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?';
    this.#insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)');
    this.#page = database.prepare<[number, number], Columns>(
      `SELECT seq, at, input, outcomes, hex(payload) ${page}`,
    );
    this.#chained = database.prepare<[number, number], ChainedColumns>(
      `SELECT seq, at, input, outcomes, hex(payload), hex(hash) ${page}`,
    );
    this.#last = database.prepare<[], readonly [number, Uint8Array]>(
      'SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1',
    );
    this.#hash = database.prepare<[number], Uint8Array>('SELECT hash FROM entries WHERE seq = ?').pluck();
    for (const statement of [this.#page, this.#chained, this.#last]) statement.raw();
  }

  append({ row, hash }: StagedEntry): void {
    this.#insert.run(row.seq, row.at, row.input, row.outcomes, row.payload ?? null, hash);
  }

  /** Rows from `from` on, at most `limit`, without a gap; throws a `LogFailure` that names the first that is missing. */
  page(from: number, limit: number): EntryRow[] {
    return this.#columns(this.#page, from, limit).map((columns) => new StoredRow(columns));
  }

  /** The same with their hashes; throws also for a row whose columns do not hold what they are meant to. */
  chainedPage(from: number, limit: number): ChainedRow[] {
    return this.#columns(this.#chained, from, limit).map((columns) => {
      if (!isWellFormed(columns)) throw tampered(columns[0], 'a column does not hold what it should');
      return { row: new StoredRow(columns), hash: Buffer.from(columns[5], 'hex') };
    });
  }

  last(): { readonly seq: number; readonly hash: Uint8Array } | undefined {
    const columns = failing('reading the last entry', () => this.#last.get());
    if (columns === undefined) return undefined;
    const [seq, hash] = columns;
    if (!isDigest(hash)) throw tampered(seq, 'its hash is not a hash');
    return { seq, hash };
  }

  hashOf(seq: number): Uint8Array | undefined {
    const hash = failing(`reading entry ${seq}`, () => this.#hash.get(seq));
    return isDigest(hash) ? hash : undefined;
  }

  #columns<Found extends readonly [seq: number, ...rest: unknown[]]>(
    statement: Database.Statement<[number, number], Found>,
    from: number,
    limit: number,
  ): Found[] {
    const found = this.#all(statement, from, limit);
    for (let index = 0; index < found.length; index += 1) {
      if (found[index]?.[0] !== from + index) throw missing(from + index);
    }
    return found;
  }

  #all<Found>(statement: Database.Statement<[number, number], Found>, from: number, limit: number): Found[] {
    try {
      return statement.all(from, limit);
    } catch (cause) {
      if (!isCorruption(cause)) throw logFailure(`reading entries from ${from}`, cause);
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

export function tampered(seq: number, reason: string, cause?: unknown): LogFailure {
  return new LogFailure('DT_LOG_TAMPERED', `entry ${seq} is not what was written: ${reason}`, { cause });
}

export function missing(seq: number): LogFailure {
  return new LogFailure(
    'DT_LOG_TAMPERED',
    `entry ${seq} is missing, though others are there that came later`,
  );
}

class StoredRow implements EntryRow {
  readonly #columns: Columns;
  #payload: Uint8Array | undefined;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  get seq(): number {
    return this.#columns[0];
  }

  get at(): number {
    return this.#columns[1];
  }

  get input(): string {
    return this.#columns[2];
  }

  get outcomes(): string {
    return this.#columns[3];
  }

  get payload(): Uint8Array | undefined {
    const text = this.#columns[4];
    if (text !== '') this.#payload ??= Buffer.from(text, 'hex');
    return this.#payload;
  }
}

function isWellFormed([seq, at, input, outcomes]: ChainedColumns): boolean {
  return (
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(at) &&
    typeof input === 'string' &&
    typeof outcomes === 'string'
  );
}

function isDigest(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === 32;
}
