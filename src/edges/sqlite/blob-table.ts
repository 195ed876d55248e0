import type Database from 'better-sqlite3';
import { digestHex } from '../../core/kernel/digest.ts';
import { failing } from './failures.ts';
import { nodeSha256 } from './node-sha256.ts';

/** Bytes by the SHA-256 of their content, each kept once: large payloads, and the parts of snapshots. */
export class BlobTable {
  readonly #has: Database.Statement<[string]>;
  readonly #insert: Database.Statement<[string, Uint8Array]>;
  readonly #get: Database.Statement<[string], Uint8Array>;

  constructor(database: Database.Database, table: 'payloads' | 'snapshot_parts') {
    this.#has = database.prepare<[string]>(`SELECT 1 FROM ${table} WHERE sha256 = ?`).pluck();
    this.#insert = database.prepare<[string, Uint8Array]>(`INSERT INTO ${table} VALUES (?, ?)`);
    this.#get = database.prepare<[string], Uint8Array>(`SELECT bytes FROM ${table} WHERE sha256 = ?`).pluck();
  }

  // Asking first: handing SQLite a megabyte that it has costs more than the question.
  keep(digest: string, bytes: Uint8Array): void {
    if (this.#has.get(digest) === undefined) this.#insert.run(digest, bytes);
  }

  /** `undefined` when the bytes are missing, or are not those of the digest. */
  load(digest: string): Uint8Array | undefined {
    const bytes = failing(`reading the payload ${digest}`, () => this.#get.get(digest));
    if (!(bytes instanceof Uint8Array) || digestHex(bytes, nodeSha256) !== digest) return undefined;
    // Not Node's Buffer, whose `slice` is another one.
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}
