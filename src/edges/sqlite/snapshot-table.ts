import type Database from 'better-sqlite3';
import { hex, utf8 } from '../../core/kernel/bytes.ts';
import { digestHex } from '../../core/kernel/digest.ts';
import { LogFailure, type Snapshot } from '../../core/simulator/ports.ts';
import { BlobTable } from './blob-table.ts';
import { failing } from './failures.ts';
import { nodeSha256 } from './node-sha256.ts';

/** What is known of a snapshot without its parts. */
export interface SnapshotMark {
  readonly seq: number;
  readonly reducerDigest: string;
  /** The chain hash of the entry `seq`, so a snapshot of another log is none of this one. */
  readonly entryHash: Uint8Array;
  /** Pairs of name and digest, in the order in which the parts were given. */
  readonly parts: readonly (readonly [name: string, digest: string])[];
}

interface SnapshotRow {
  readonly seq: number;
  readonly reducers: string;
  readonly entry_hash: Uint8Array;
  readonly parts: string;
  readonly digest: string;
}

/** Snapshots are a cache of the log: a damaged one is passed over when it is looked for, and named by `verify`. */
export class SnapshotTable {
  readonly #insert: Database.Statement;
  readonly #upTo: Database.Statement<[string, number], SnapshotRow>;
  readonly #all: Database.Statement<[], SnapshotRow>;
  readonly #blobs: BlobTable;

  constructor(database: Database.Database) {
    this.#insert = database.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)');
    this.#upTo = database.prepare<[string, number], SnapshotRow>(
      'SELECT * FROM snapshots WHERE reducers = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
    );
    this.#all = database.prepare<[], SnapshotRow>('SELECT * FROM snapshots ORDER BY seq');
    this.#blobs = new BlobTable(database, 'snapshot_parts');
  }

  /** In the transaction of the caller. */
  keep({ seq, reducerDigest, parts }: Snapshot, entryHash: Uint8Array): void {
    const digests = [...parts].map(([name, bytes]) => [name, digestHex(bytes, nodeSha256), bytes] as const);
    for (const [, digest, bytes] of digests) this.#blobs.keep(digest, bytes);
    const mark = {
      seq,
      reducerDigest,
      entryHash,
      parts: digests.map(([name, digest]) => [name, digest] as const),
    };
    this.#insert.run(seq, reducerDigest, entryHash, JSON.stringify(mark.parts), digestOf(mark));
  }

  /** The newest whole snapshot of these reducers at or before `seq`. */
  load(seq: number, reducerDigest: string): Snapshot | undefined {
    for (const mark of this.#marks(seq, reducerDigest)) {
      const parts = this.#partsOf(mark);
      if (parts !== undefined) return { seq: mark.seq, reducerDigest, parts };
    }
    return undefined;
  }

  /** The newest snapshot of these reducers at or before `seq`, without its parts. */
  mark(seq: number, reducerDigest: string): SnapshotMark | undefined {
    return this.#marks(seq, reducerDigest).next().value ?? undefined;
  }

  /** Throws a `LogFailure` that names the first snapshot that is not what was written. */
  verify(hashOf: (seq: number) => Uint8Array | undefined): void {
    for (const row of failing('reading the snapshots', () => this.#all.all())) {
      const mark = markOf(row);
      const isOfThisLog = mark !== undefined && sameBytes(hashOf(mark.seq), mark.entryHash);
      if (isOfThisLog && this.#partsOf(mark) !== undefined) continue;
      const sentence = `the snapshot at entry ${row.seq} is not what was written; the entries are`;
      throw new LogFailure('DT_LOG_TAMPERED', sentence);
    }
  }

  *#marks(seq: number, reducerDigest: string): Generator<SnapshotMark, undefined> {
    for (let upTo = seq; ;) {
      const row = failing('reading the snapshots', () => this.#upTo.get(reducerDigest, upTo));
      if (row === undefined) return undefined;
      const mark = markOf(row);
      if (mark !== undefined) yield mark;
      upTo = row.seq - 1;
    }
  }

  #partsOf(mark: SnapshotMark): ReadonlyMap<string, Uint8Array> | undefined {
    const parts = new Map<string, Uint8Array>();
    for (const [name, digest] of mark.parts) {
      const bytes = this.#blobs.load(digest);
      if (bytes === undefined) return undefined;
      parts.set(name, bytes);
    }
    return parts;
  }
}

function markOf(row: SnapshotRow): SnapshotMark | undefined {
  if (typeof row.parts !== 'string' || !(row.entry_hash instanceof Uint8Array)) return undefined;
  const parts = partsIn(row.parts);
  if (parts === undefined) return undefined;
  const mark = { seq: row.seq, reducerDigest: row.reducers, entryHash: row.entry_hash, parts };
  return digestOf(mark) === row.digest ? mark : undefined;
}

function partsIn(text: string): SnapshotMark['parts'] | undefined {
  try {
    // `digestOf` vouches for the shape: it is what was written, or the digest differs.
    return JSON.parse(text) as SnapshotMark['parts'];
  } catch {
    return undefined;
  }
}

function digestOf({ seq, reducerDigest, entryHash, parts }: SnapshotMark): string {
  return digestHex(utf8(JSON.stringify([seq, reducerDigest, hex(entryHash), parts])), nodeSha256);
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
