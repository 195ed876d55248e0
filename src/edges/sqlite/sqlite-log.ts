import type Database from 'better-sqlite3';
import { hex } from '../../core/kernel/bytes.ts';
import { chainHash, chainStart } from '../../core/kernel/entry-chain.ts';
import { decodeEntry, encodeEntry, type LoadLarge } from '../../core/kernel/entry-codec.ts';
import type { Input, LogEntry, Outcome } from '../../core/simulator/events.ts';
import {
  LogFailure,
  type EventLog,
  type LogHead,
  type Manifest,
  type Snapshot,
} from '../../core/simulator/ports.ts';
import { BlobTable } from './blob-table.ts';
import { EntryTable, missing, tampered, type StagedEntry } from './entry-table.ts';
import { failing, logFailure } from './failures.ts';
import { ManifestTable } from './manifest-table.ts';
import { nodeSha256 } from './node-sha256.ts';
import { SnapshotTable } from './snapshot-table.ts';
import { verifyChain, type ChainLink } from './verification.ts';

/** What a log in a file has beside its database; a log in memory has none of it. */
export interface Surroundings {
  /** Called after each flush, and never throws. */
  flushed(head: LogHead, bytes: number): void;
  /** Called once, instead of closing the database: closes it and what belongs to it. */
  close(head: LogHead): void | Promise<void>;
}

export interface SqliteLogParts {
  readonly database: Database.Database;
  readonly canWrite: boolean;
  /** For messages. */
  readonly name: string;
}

/** An `EventLog` over an open database whose schema has been checked. */
export class SqliteLog implements EventLog {
  readonly manifest: Manifest;
  /** The hash before the first entry. */
  readonly start: Uint8Array;
  readonly entries: EntryTable;
  readonly manifestTable: ManifestTable;
  readonly #database: Database.Database;
  readonly #canWrite: boolean;
  readonly #name: string;
  readonly #payloads: BlobTable;
  readonly #snapshots: SnapshotTable;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  #surroundings: Surroundings | undefined;
  #durable: ChainLink;
  #head: LogHead | undefined;
  #staged: StagedEntry[] = [];
  #last: ChainLink;
  #isClosed = false;

  constructor({ database, canWrite, name }: SqliteLogParts) {
    this.#database = database;
    this.#canWrite = canWrite;
    this.#name = name;
    this.manifestTable = new ManifestTable(database);
    this.entries = new EntryTable(database);
    this.#payloads = new BlobTable(database, 'payloads');
    this.#snapshots = new SnapshotTable(database);
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.manifest = this.manifestTable.manifest();
    this.start = chainStart(this.manifest, nodeSha256);
    this.#durable = this.#readLast();
    this.#last = this.#durable;
  }

  /** Who opens the log gives it the rest, once it is known where it ends. */
  surroundWith(surroundings: Surroundings): void {
    this.#surroundings = surroundings;
  }

  get head(): LogHead {
    // Another process may be writing what is only read here.
    if (!this.#canWrite && !this.#isClosed) this.#moveTo(this.#readLast());
    this.#head ??= headOf(this.#durable);
    return this.#head;
  }

  stage(entry: LogEntry): void {
    this.#refuseUnlessWritable();
    if (entry.seq !== this.#last.seq + 1) {
      throw new Error(`entry ${this.#last.seq + 1} was to be staged, not ${entry.seq}`);
    }
    const row = encodeEntry(entry, nodeSha256);
    const hash = chainHash(this.#last.hash, row, nodeSha256);
    this.#staged.push({ row, hash });
    this.#last = { seq: row.seq, hash };
  }

  flush(): void {
    this.#refuseUnlessWritable();
    const staged = this.#staged;
    if (staged.length === 0) return;
    this.#staged = [];
    try {
      this.inTransaction(() => this.#append(staged));
    } catch (cause) {
      this.#last = this.#durable;
      throw logFailure(`writing ${this.#name}`, cause);
    }
    this.#moveTo(this.#last);
    this.#surroundings?.flushed(this.head, bytesOf(staged));
  }

  read(from: number, limit: number): readonly LogEntry[] {
    this.#refuseWhenClosed();
    const first = Math.max(1, from);
    const rows = this.entries.page(first, limit);
    const expected = Math.min(limit, this.#durable.seq - first + 1);
    if (rows.length < expected) throw missing(first + rows.length);
    return rows.map((row) => decodeEntry<Input, Outcome>(row, this.#loadLarge(row.seq)));
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#refuseUnlessWritable();
    const entryHash = this.#hashOf(snapshot.seq);
    if (entryHash === undefined) throw new Error(`there is no durable entry ${snapshot.seq} for a snapshot`);
    failing(`writing ${this.#name}`, () => {
      this.inTransaction(() => this.#snapshots.keep(snapshot, entryHash));
    });
  }

  loadSnapshot(seq: number, reducerDigest: string): Snapshot | undefined {
    this.#refuseWhenClosed();
    return this.#snapshots.load(seq, reducerDigest);
  }

  verify(): void {
    this.#refuseWhenClosed();
    const to = this.head.seq;
    verifyChain(this.entries, { seq: 0, hash: this.start }, to, (seq) => this.#loadLarge(seq));
    this.#snapshots.verify((seq) => this.#hashOf(seq));
    const found = failing(`reading ${this.#name}`, () =>
      this.#database.pragma('integrity_check(1)', { simple: true }),
    );
    if (found !== 'ok') throw new LogFailure('DT_LOG_TAMPERED', `${this.#name}: ${String(found)}`);
  }

  /**
   * Verifies what a fold will read: everything, or the entries after the newest snapshot of these reducers. The first entry
   * is always read, because its hash covers the manifest.
   */
  verifyTail(reducerDigest: string | undefined): void {
    const origin = { seq: 0, hash: this.start };
    const mark =
      reducerDigest === undefined ? undefined : this.#snapshots.mark(this.#durable.seq, reducerDigest);
    const from = mark === undefined ? origin : { seq: mark.seq, hash: mark.entryHash };
    if (from.seq > 0) this.#verifySnapshotsEntry(from, origin);
    verifyChain(this.entries, from, this.#durable.seq, (seq) => this.#loadLarge(seq));
  }

  close(): void | Promise<void> {
    if (this.#isClosed) return undefined;
    const head = this.head;
    this.#isClosed = true;
    this.#staged = [];
    if (this.#surroundings !== undefined) return this.#surroundings.close(head);
    this.#database.close();
    return undefined;
  }

  #append(staged: readonly StagedEntry[]): void {
    for (const entry of staged) {
      for (const { digest, bytes } of entry.row.large) this.#payloads.keep(digest, bytes);
      this.entries.append(entry);
    }
  }

  inTransaction(work: () => void): void {
    this.#begin.run();
    try {
      work();
      this.#commit.run();
    } catch (cause) {
      // After some errors SQLite has rolled back by itself.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw cause;
    }
  }

  #verifySnapshotsEntry(from: ChainLink, origin: ChainLink): void {
    verifyChain(this.entries, origin, 1, (seq) => this.#loadLarge(seq));
    const hash = this.entries.hashOf(from.seq);
    if (hash === undefined || Buffer.compare(hash, from.hash) !== 0) {
      throw tampered(from.seq, 'its hash differs from the one in its snapshot');
    }
  }

  #loadLarge(seq: number): LoadLarge {
    return (digest) => {
      this.#refuseWhenClosed();
      const bytes = this.#payloads.load(digest);
      if (bytes === undefined) throw tampered(seq, `its payload ${digest} is missing or damaged`);
      return bytes;
    };
  }

  #hashOf(seq: number): Uint8Array | undefined {
    return seq === 0 ? this.start : this.entries.hashOf(seq);
  }

  #readLast(): ChainLink {
    return this.entries.last() ?? { seq: 0, hash: this.start };
  }

  #moveTo(link: ChainLink): void {
    this.#durable = link;
    this.#head = undefined;
  }

  #refuseUnlessWritable(): void {
    this.#refuseWhenClosed();
    if (!this.#canWrite) throw new LogFailure('DT_LOG_READ_ONLY', `${this.#name} was opened for reading`);
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new LogFailure('DT_LOG_CLOSED', `${this.#name} has been closed`);
  }
}

const noHash = '0'.repeat(64);

function headOf({ seq, hash }: ChainLink): LogHead {
  return { seq, hash: seq === 0 ? noHash : hex(hash) };
}

function bytesOf(staged: readonly StagedEntry[]): number {
  let bytes = 0;
  for (const { row } of staged) {
    bytes += row.input.length + row.outcomes.length + (row.payload?.length ?? 0);
    for (const large of row.large) bytes += large.bytes.length;
  }
  return bytes;
}
