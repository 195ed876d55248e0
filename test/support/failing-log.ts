import { LogFailure, type EventLog } from '../../src/core/simulator/ports.ts';

/** A log that has no more room as soon as `isFull` says so; nothing of what it refuses is kept. */
export function failingLog(log: EventLog, isFull: () => boolean): EventLog {
  return {
    manifest: log.manifest,
    get head() {
      return log.head;
    },
    stage(entry) {
      if (!isFull()) log.stage(entry);
    },
    flush() {
      if (isFull()) throw new LogFailure('DT_LOG_FULL', 'no room left');
      return log.flush();
    },
    read: (from, limit) => log.read(from, limit),
    saveSnapshot: (snapshot) => log.saveSnapshot(snapshot),
    loadSnapshot: (seq, digest) => log.loadSnapshot(seq, digest),
    verify: () => log.verify(),
    close: () => log.close(),
  };
}
