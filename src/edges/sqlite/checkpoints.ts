import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';

// SQLite's own checkpoints run inside a commit and hold the event loop up for milliseconds. So they are off, and
//
//   - a worker with a connection of its own copies pages from the write-ahead log into the database (passive: it waits for
//     nobody and nobody waits for it), once enough has been written;
//   - when the write-ahead log is long all the same, the writer copies the few pages that are left. Then all of it is in the
//     database, and SQLite begins it from the start with the next commit.

/** Written since the last checkpoint, before the worker is asked for one. */
export const walCheckpointBytes = 4 * 1024 * 1024;
/** Length of the write-ahead log from which on the writer sees to its restart, after the worker's next checkpoint. */
export const walRestartBytes = 32 * 1024 * 1024;
/** Length from which on the writer does not wait for the worker. */
export const walBytesMax = 128 * 1024 * 1024;

export interface Checkpoints {
  /** Say how many bytes of entries the flush wrote. */
  afterFlush(bytes: number): void;
  /** A promise only when there is a worker to wait for. */
  stop(): void | Promise<void>;
}

interface WalState {
  /** In pages. */
  readonly log: number;
}

const pageBytes = 4096;

export function startCheckpoints(database: Database.Database, file: string): Checkpoints {
  let worker: Worker | undefined;
  let isWorkerLost = false;
  let isAsked = false;
  let written = 0;
  let sinceRestart = 0;

  function checkpoint(mode: 'PASSIVE' | 'NOOP'): number {
    try {
      const [state] = database.pragma(`wal_checkpoint(${mode})`) as WalState[];
      return (state?.log ?? 0) * pageBytes;
    } catch {
      // The flush before it has not failed; the write-ahead log stays longer until there is room again.
      return 0;
    }
  }

  function answered(walBytes: number): void {
    isAsked = false;
    if (!database.open || walBytes < walRestartBytes) return;
    checkpoint('PASSIVE');
    sinceRestart = 0;
  }

  function ask(): void {
    written = 0;
    if (isAsked) return;
    isAsked = true;
    worker ??= startWorker(file, answered, () => {
      worker = undefined;
      isWorkerLost = true;
      isAsked = false;
    });
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage('checkpoint');
  }

  return {
    afterFlush(bytes) {
      // At least a leaf of the tree is written anew, and now and then what is above it.
      const pages = 1 + Math.ceil(bytes / (pageBytes - 256));
      written += pages * pageBytes;
      sinceRestart += pages * pageBytes;
      if (written < walCheckpointBytes) return;
      if (!isWorkerLost) ask();
      if (sinceRestart < (isWorkerLost ? walRestartBytes : walBytesMax)) return;
      if (checkpoint('NOOP') >= walRestartBytes) checkpoint('PASSIVE');
      written = 0;
      sinceRestart = 0;
    },
    stop() {
      if (worker === undefined) return undefined;
      return stopped(worker);
    },
  };
}

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

function startWorker(file: string, answered: (walBytes: number) => void, lost: () => void): Worker {
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
  const worker = new Worker(workerBody, { eval: true, execArgv: [], workerData: { sqlite, file } });
  worker.on('message', (pages: number) => answered(pages * pageBytes));
  // Without a worker (no threads left, say) the writer makes the checkpoints; a lost one costs time, not entries.
  worker.on('error', lost);
  worker.unref();
  return worker;
}

function stopped(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage('stop');
  });
}
