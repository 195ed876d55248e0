import type { LogEntry, ClockMode } from './events.ts';

/** What a log says of itself; written once, when it is made. */
export interface Manifest {
  /** The version of the file format; a reader refuses what is newer than itself. */
  readonly format: number;
  readonly seed: string;
  readonly clock: { readonly mode: ClockMode; readonly startAt: number };
  /** Which reducers wrote the log, and so its snapshots. */
  readonly reducerDigest: string;
  /** Behaviour beyond the specification that was asked for. */
  readonly compat: readonly 'gripmock'[];
}

/** Where the log ends: `seq` 0 and 64 zeros when it is empty. */
export interface LogHead {
  readonly seq: number;
  /** Lower-case hex: SHA-256 over the hash before and the whole entry. */
  readonly hash: string;
}

/** A world at one seq, in named parts, so that a part that did not change is kept once. */
export interface Snapshot {
  readonly seq: number;
  readonly reducerDigest: string;
  readonly parts: ReadonlyMap<string, Uint8Array>;
}

/**
 * The log, as the simulator sees it. One writer; entries in order; nothing changes once it is written.
 *
 * Nothing may assume that `flush` is immediate, that an entry can be read back before the flush that covers it, or
 * that trouble shows where `stage` is called.
 */
export interface EventLog {
  readonly manifest: Manifest;
  /** The last entry that is durable. */
  readonly head: LogHead;
  /** Takes the next entry, in memory; `entry.seq` must be one more than the last staged. Its bytes must not change. */
  stage(entry: LogEntry): void;
  /**
   * Makes all that is staged durable, as one unit. Afterwards (at once, or when the promise resolves) `head` covers it.
   * Throws or rejects with a `LogFailure`; then nothing of the unit is in the log and nothing is staged any more.
   */
  flush(): void | Promise<void>;
  /** Durable entries from `from` on, at most `limit`, in order; empty at the end. */
  read(from: number, limit: number): readonly LogEntry[] | Promise<readonly LogEntry[]>;
  saveSnapshot(snapshot: Snapshot): void | Promise<void>;
  /** The newest snapshot of these reducers at or before `seq`. */
  loadSnapshot(seq: number, reducerDigest: string): Snapshot | undefined | Promise<Snapshot | undefined>;
  /**
   * Reads all that is durable anew and holds it against the hash chain and the digests. Throws or rejects with a
   * `LogFailure` (`DT_LOG_TAMPERED`) that names the first entry that is not what was written.
   */
  verify(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Why a log cannot go on; the code stands in the table of `docs/errors.md`. */
export class LogFailure extends Error {
  override readonly name = 'LogFailure';
  readonly code: LogFailureCode;
  constructor(code: LogFailureCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export type LogFailureCode =
  /** No room, or a file-size limit; may pass. */
  | 'DT_LOG_FULL'
  /** The file, its folder or its file system takes no writes. */
  | 'DT_LOG_READ_ONLY'
  /** Another process writes this log. */
  | 'DT_LOG_OWNED'
  /** Not a take. */
  | 'DT_LOG_FOREIGN'
  /** Written by a newer Doubletake. */
  | 'DT_LOG_NEWER'
  /** Its content is not what was written; the message names the entry. */
  | 'DT_LOG_TAMPERED'
  /** Entries that were answered are missing at the end. */
  | 'DT_LOG_TRUNCATED'
  | 'DT_LOG_UNREADABLE'
  | 'DT_LOG_MISSING'
  /** The simulator has stopped; no more input is taken. */
  | 'DT_LOG_CLOSED';

/** Time, as the outside has it. */
export interface Clock {
  /** Whole milliseconds since 1970-01-01T00:00:00Z. May stand still; the simulator sees to it that it never goes back. */
  now(): number;
  /** Calls `ring` once, at `at` or soon after; a later call replaces an earlier one. `undefined`: no more alarm. */
  setAlarm(at: number | undefined, ring: () => void): void;
}

/** Runs a task soon, after what has already arrived has been taken in (in Node, `setImmediate`). */
export type Schedule = (task: () => void) => void;
