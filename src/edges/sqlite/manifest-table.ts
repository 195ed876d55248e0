import type Database from 'better-sqlite3';
import { canonicalJson } from '../../core/kernel/canonical-json.ts';
import { isJsonObject } from '../../core/kernel/json.ts';
import { asManifest } from '../../core/simulator/manifest.ts';
import { LogFailure, type LogHead, type Manifest } from '../../core/simulator/ports.ts';
import { failing } from './failures.ts';
import type { Owner } from './ownership.ts';

/** What the log says of itself (`manifest`, canonical JSON), who writes it (`owner`), and where it was closed (`closed`). */
export class ManifestTable {
  readonly #get: Database.Statement<[string], string>;
  readonly #put: Database.Statement<[string, string]>;
  readonly #drop: Database.Statement<[string]>;

  constructor(database: Database.Database) {
    this.#get = database.prepare<[string], string>('SELECT value FROM manifest WHERE key = ?').pluck();
    this.#put = database.prepare<[string, string]>('INSERT OR REPLACE INTO manifest VALUES (?, ?)');
    this.#drop = database.prepare<[string]>('DELETE FROM manifest WHERE key = ?');
  }

  manifest(): Manifest {
    const manifest = asManifest(this.#read('manifest'));
    if (manifest === undefined)
      throw new LogFailure('DT_LOG_TAMPERED', 'the manifest is not what was written');
    return manifest;
  }

  putManifest(manifest: Manifest): void {
    this.#put.run('manifest', canonicalJson(manifest));
  }

  /** Who writes the take, or wrote it last. */
  owner(): Owner | undefined {
    const value = this.#read('owner');
    return isOwner(value) ? value : undefined;
  }

  /** Where the take was closed; `undefined` while it is written, and after its writer died. */
  closed(): LogHead | undefined {
    const value = this.#read('closed');
    if (value === undefined || isHead(value)) return value;
    throw new LogFailure('DT_LOG_TAMPERED', 'the manifest is not what was written (closed)');
  }

  putOpened(owner: Owner): void {
    this.#put.run('owner', JSON.stringify(owner));
    this.#drop.run('closed');
  }

  putClosed(head: LogHead): void {
    this.#put.run('closed', JSON.stringify(head));
  }

  #read(key: string): unknown {
    const text = failing('reading the manifest', () => this.#get.get(key));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new LogFailure('DT_LOG_TAMPERED', `the manifest is not what was written (${key})`, { cause });
    }
  }
}

function isOwner(value: unknown): value is Owner {
  if (!isJsonObject(value)) return false;
  return (
    Number.isInteger(value['pid']) && typeof value['host'] === 'string' && typeof value['since'] === 'string'
  );
}

function isHead(value: unknown): value is LogHead {
  return isJsonObject(value) && Number.isSafeInteger(value['seq']) && typeof value['hash'] === 'string';
}
