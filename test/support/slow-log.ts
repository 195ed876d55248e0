import type { EventLog } from '../../src/core/simulator/ports.ts';

export interface SlowLog extends EventLog {
  /** Lets the flush that is under way succeed, or fail with `failure`. */
  settle(failure?: Error): Promise<void>;
}

/** A log whose flushes take until `settle` is called, as one over a network would. */
export function slowLog(log: EventLog): SlowLog {
  let settleFlush: ((failure: Error | undefined) => void) | undefined;
  return {
    manifest: log.manifest,
    get head() {
      return log.head;
    },
    stage: (entry) => log.stage(entry),
    flush: () =>
      new Promise<void>((resolve, reject) => {
        settleFlush = (failure) => {
          if (failure !== undefined) return reject(failure);
          resolve(log.flush() ?? undefined);
        };
      }),
    read: (from, limit) => log.read(from, limit),
    saveSnapshot: (snapshot) => log.saveSnapshot(snapshot),
    loadSnapshot: (seq, digest) => log.loadSnapshot(seq, digest),
    verify: () => log.verify(),
    close: () => log.close(),
    async settle(failure) {
      // A flush begins on a later turn of the loop than the input that asks for it.
      while (settleFlush === undefined) await new Promise(setImmediate);
      const settle = settleFlush;
      settleFlush = undefined;
      settle(failure);
      await new Promise(setImmediate);
    },
  };
}
