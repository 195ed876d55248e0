import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';

// SQLite's own checkpoints run inside a commit and hold the event loop up for milliseconds. So they are off, and
//
//   - a worker with a connection of its own copies pages from the write-ahead log into the database (passive: it waits for
//     nobody and nobody waits for it), once enough has been written;
//   - when the write-ahead log is long all the same, the writer copies the few pages that are left. Then all of it is in the
//     database, and SQLite begins it from the start with the next commit.

/** How long the write-ahead log may get before something is done about it. */
export interface WalLimits {
  /** Written since the last checkpoint, before the worker is asked for one. */
  readonly checkpointBytes: number;
  /** Length from which on the writer sees to its restart, after the worker's next checkpoint. */
  readonly restartBytes: number;
  /** Length from which on the writer does not wait for the worker. */
  readonly bytesMax: number;
}

export const walLimits: WalLimits = {
  checkpointBytes: 4 * 1024 * 1024,
  restartBytes: 32 * 1024 * 1024,
  bytesMax: 128 * 1024 * 1024,
};

/** Keeps the write-ahead log of a take short. */
export class Checkpoints {
  readonly #database: Database.Database;
  readonly #file: string;
  readonly #limits: WalLimits;
  #worker: Worker | undefined;
  #isWorkerLost = false;
  #isWorkerAsked = false;
  #sinceCheckpoint = 0;
  #sinceRestart = 0;

  /** The worker is started when it is first needed: most logs of tests never need it. */
  constructor(database: Database.Database, file: string, limits = walLimits) {
    this.#database = database;
    this.#file = file;
    this.#limits = limits;
  }

  /** Say how many bytes of entries the flush wrote. Never throws. */
  afterFlush(bytes: number): void {
    // At least a leaf of the tree is written anew, and now and then what is above it.
    const walBytes = (1 + Math.ceil(bytes / (pageBytes - 256))) * pageBytes;
    this.#sinceCheckpoint += walBytes;
    this.#sinceRestart += walBytes;
    if (this.#sinceCheckpoint < this.#limits.checkpointBytes) return;
    this.#sinceCheckpoint = 0;
    if (!this.#isWorkerLost) this.#askWorker();
    const { restartBytes, bytesMax } = this.#limits;
    if (this.#sinceRestart >= (this.#isWorkerLost ? restartBytes : bytesMax)) this.#prepareRestart();
  }

  /** A promise only when there is a worker to wait for. */
  stop(): void | Promise<void> {
    return this.#worker === undefined ? undefined : stopped(this.#worker);
  }

  #askWorker(): void {
    if (this.#isWorkerAsked) return;
    try {
      this.#worker ??= this.#startWorker();
      this.#isWorkerAsked = true;
      // A thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      this.#worker.postMessage('checkpoint');
    } catch {
      this.#isWorkerLost = true;
    }
  }

  #startWorker(): Worker {
    const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
    const workerData = { sqlite, file: this.#file };
    const worker = new Worker(workerBody, { eval: true, execArgv: [], workerData });
    worker.on('message', (pages: number) => this.#answered(pages * pageBytes));
    // A lost worker (no threads left, say) costs time, not entries: the writer makes the checkpoints then. `exit` follows.
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#isWorkerLost = true;
    });
    worker.unref();
    return worker;
  }

  #answered(walBytes: number): void {
    this.#isWorkerAsked = false;
    if (this.#database.open && walBytes >= this.#limits.restartBytes) this.#prepareRestart();
  }

  // When all of the write-ahead log is in the database and nobody reads from it, the next commit begins it from the start. When
  // the worker is at it or somebody reads, the next try is due after `checkpointBytes` more.
  #prepareRestart(): void {
    try {
      const [state] = this.#database.pragma('wal_checkpoint(PASSIVE)') as readonly WalState[];
      if (state?.busy === 0 && state.log === state.checkpointed) this.#sinceRestart = 0;
    } catch {
      // A full disk, say. The flush before it has not failed, and there will be a next time.
    }
  }
}

/** What SQLite says of a checkpoint; lengths in pages. */
interface WalState {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

const pageBytes = 4096;

// The body is text, so that it works from source and bundled alike; what it needs comes with `workerData`.
const workerBody = `
const { parentPort, workerData } = require('node:worker_threads');
const Database = require(workerData.sqlite);
const database = new Database(workerData.file, { fileMustExist: true, timeout: 0 });
database.pragma('wal_autocheckpoint = 0');
parentPort.on('message', (message) => {
  if (message === 'stop') {
    database.close();
    parentPort.close();
    return;
  }
  let log = 0;
  try {
    log = database.pragma('wal_checkpoint(PASSIVE)')[0].log;
  } catch {
    // A full disk, say. Nothing is lost by waiting for the next time.
  }
  parentPort.postMessage(log);
});
`;

function stopped(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage('stop');
  });
}
