import type { EventLog } from '../../src/core/simulator/ports.ts';

export interface SlowLog extends EventLog {
  /** Lets the flush that is under way succeed, or fail with `failure`. */
  settle(failure?: Error): Promise<void>;
}

/** A log whose flushes take until `settle` is called, as one over a network would. */
export function slowLog(log: EventLog): SlowLog {
  const begun = turnstile<(failure: Error | undefined) => void>();
  return {
    manifest: log.manifest,
    get head() {
      return log.head;
    },
    stage: (entry) => log.stage(entry),
    flush: () =>
      new Promise<void>((resolve, reject) => {
        begun.put((failure) => {
          if (failure !== undefined) return reject(failure);
          resolve(log.flush() ?? undefined);
        });
      }),
    read: (from, limit) => log.read(from, limit),
    saveSnapshot: (snapshot) => log.saveSnapshot(snapshot),
    loadSnapshot: (seq, digest) => log.loadSnapshot(seq, digest),
    verify: () => log.verify(),
    close: () => log.close(),
    async settle(failure) {
      const end = await begun.take();
      end(failure);
      // What waits for the flush runs before whoever asked for it goes on.
      await new Promise(setImmediate);
    },
  };
}

/** Hands over one thing at a time: `take` waits until there is one. */
function turnstile<Thing>(): { put(thing: Thing): void; take(): Promise<Thing> } {
  let { promise, resolve } = Promise.withResolvers<Thing>();
  return {
    put: (thing) => resolve(thing),
    async take() {
      const thing = await promise;
      ({ promise, resolve } = Promise.withResolvers<Thing>());
      return thing;
    },
  };
}
