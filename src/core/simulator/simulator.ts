import type { ClockMode, Input, LogEntry } from './events.ts';
import type { LogFailure, LogHead, Manifest } from './ports.ts';
import type { World } from './world.ts';

/**
 * A running simulator: takes inputs, decides them, keeps them in its log, and says when they are durable.
 *
 * Whoever lets anything be seen outside (a reply, a delivery) waits for the entry to be settled or committed.
 */
export interface Simulator {
  readonly manifest: Manifest;
  /** The last entry that is durable; what is shown outside as state is the world at this seq. */
  head(): LogHead;
  /** The world after the last input taken in; it may be ahead of what is durable. */
  world(): World;
  /**
   * Takes one input in: decides it in the world of this moment and stages its entry. Gives the entry's seq at once.
   * `settled` is called once, later: with the entry when it is durable, or with why it was refused. A refused input
   * has left no trace, and its seq will be given again.
   */
  submit(input: Input, settled?: (settlement: Settlement) => void): number;
  /** Calls `listener` with each entry as it becomes durable, in order, after its `settled`. Gives what ends that. */
  onCommitted(listener: (entry: LogEntry) => void): () => void;
  /** Durable entries, from `from` on, at most `limit`. */
  entries(from: number, limit: number): Promise<readonly LogEntry[]>;
  /** The world just after the entry `seq`; 0 is the empty world. Rejects with a `RangeError` past the end. */
  worldAt(seq: number): Promise<World>;
  /** Moves a virtual clock to `to`, through every due moment in order. Resolves when all of it is durable. */
  runTo(to: number): Promise<void>;
  setClockMode(mode: ClockMode): Promise<void>;
  /** Why the last flush failed, while no later one has succeeded; readiness depends on it. */
  trouble(): LogFailure | undefined;
  /** Flushes, saves a snapshot, and closes the log. Inputs after this are refused. */
  stop(): Promise<void>;
}

export type Settlement =
  | { readonly ok: true; readonly entry: LogEntry }
  | { readonly ok: false; readonly failure: LogFailure };

/** `submit` as a promise; rejects with the `LogFailure`. */
export function submitted(simulator: Simulator, input: Input): Promise<LogEntry> {
  return new Promise((resolve, reject) => {
    simulator.submit(input, (settlement) => {
      if (settlement.ok) resolve(settlement.entry);
      else reject(settlement.failure);
    });
  });
}
