import { decide, nextDue, nextJump } from './decide.ts';
import type { ClockMode, Input, LogEntry } from './events.ts';
import {
  LogFailure,
  type Clock,
  type EventLog,
  type LogHead,
  type Schedule,
  type Snapshot,
} from './ports.ts';
import { fold, reduce } from './reduce.ts';
import { reducerDigest } from './reducer-digest.ts';
import type { Settlement, Simulator } from './simulator.ts';
import { restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { emptyWorld, type World } from './world.ts';

export interface SimulatorPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  /** Groups what arrives together into one commit. */
  readonly schedule: Schedule;
}

/** Entries between two snapshots, at least; a world that is large is kept less often. */
export const snapshotEntriesMin = 4096;
/** Entries that are read and folded at a time. */
export const readEntriesMax = 1000;

/**
 * Opens a log and goes on where it ends. Rejects with a `LogFailure` when the log cannot be read.
 *
 *     submit ─▶ decide ─▶ stage ─▶ (schedule) ─▶ flush ─▶ settled, committed
 *                  └ the world moves on at once; a flush that fails takes it back to what is durable
 */
export async function createSimulator(ports: SimulatorPorts): Promise<Simulator> {
  const { log } = ports;
  const world = await worldAtLog(log, log.head.seq);
  return new RunningSimulator(ports, world);
}

/** The world just after the entry `seq` of a log, from the nearest snapshot. */
export async function worldAtLog(log: EventLog, seq: number): Promise<World> {
  if (!Number.isSafeInteger(seq) || seq < 0 || seq > log.head.seq) {
    throw new RangeError(`there is no entry ${seq}: the log ends at ${log.head.seq}`);
  }
  const snapshot = await log.loadSnapshot(seq, reducerDigest);
  const start = snapshot === undefined ? emptyWorld(log.manifest) : restoreSnapshot(snapshot);
  return foldTo(log, start, seq);
}

async function foldTo(log: EventLog, start: World, seq: number): Promise<World> {
  let world = start;
  while (world.seq < seq) {
    const entries = await log.read(world.seq + 1, Math.min(readEntriesMax, seq - world.seq));
    if (entries.length === 0) throw new LogFailure('DT_LOG_TRUNCATED', `entry ${world.seq + 1} is missing`);
    world = fold(world, entries);
  }
  return world;
}

interface Waiting {
  readonly entry: LogEntry;
  readonly settled: ((settlement: Settlement) => void) | undefined;
}

class RunningSimulator implements Simulator {
  readonly manifest;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #listeners = new Set<(entry: LogEntry) => void>();
  #world: World;
  /** As of the last flush that succeeded: where a failed one leads back to. */
  #durable: World;
  #waiting: Waiting[] = [];
  #isFlushing = false;
  #isScheduled = false;
  #isStopped = false;
  #trouble: LogFailure | undefined;
  #snapshotSeq: number;
  #snapshotGap = snapshotEntriesMin;
  #alarmAt: number | undefined;
  #quiet: (() => void)[] = [];

  constructor({ log, clock, schedule }: SimulatorPorts, world: World) {
    this.manifest = log.manifest;
    this.#log = log;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#world = world;
    this.#durable = world;
    this.#snapshotSeq = world.seq;
    this.#watchClock();
  }

  head(): LogHead {
    return this.#log.head;
  }

  world(): World {
    return this.#world;
  }

  trouble(): LogFailure | undefined {
    return this.#trouble;
  }

  submit(input: Input, settled?: (settlement: Settlement) => void): number {
    const before = this.#world;
    const at = this.#momentOf(input);
    const entry: LogEntry = { seq: before.seq + 1, at, input, outcomes: decide(before, input, at) };
    if (this.#isStopped) {
      this.#schedule(() => settled?.({ ok: false, failure: stopped() }));
      return entry.seq;
    }
    this.#world = reduce(before, entry);
    this.#log.stage(entry);
    this.#waiting.push({ entry, settled });
    this.#scheduleFlush();
    return entry.seq;
  }

  onCommitted(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async entries(from: number, limit: number): Promise<readonly LogEntry[]> {
    return this.#log.read(from, limit);
  }

  async worldAt(seq: number): Promise<World> {
    return seq === this.#durable.seq ? this.#durable : worldAtLog(this.#log, seq);
  }

  async runTo(to: number): Promise<void> {
    for (;;) {
      const due = nextDue(this.#world);
      const next = due === undefined || due > to ? to : Math.max(due, this.#world.at);
      await this.#submitted({ kind: 'ClockAdvanced', to: next });
      if (next === to && (nextDue(this.#world) ?? Infinity) > to) return;
    }
  }

  setClockMode(mode: ClockMode): Promise<void> {
    return this.#submitted({ kind: 'ClockModeChanged', mode });
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#clock.setAlarm(undefined, () => {});
    await this.#whenQuiet();
    if (this.#durable.seq > this.#snapshotSeq) await this.#saveSnapshot(takeSnapshot(this.#durable));
    await this.#log.close();
  }

  #submitted(input: Input): Promise<void> {
    return new Promise((resolve, reject) => {
      this.submit(input, (settlement) => {
        if (settlement.ok) resolve();
        else reject(settlement.failure);
      });
    });
  }

  /** The log's clock never goes back, whatever the wall clock does. */
  #momentOf(input: Input): number {
    const { at, clockMode } = this.#world;
    if (input.kind === 'ClockAdvanced') return Math.max(at, input.to);
    return clockMode === 'system' ? Math.max(at, this.#clock.now()) : at;
  }

  #scheduleFlush(): void {
    if (this.#isScheduled || this.#isFlushing) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#waiting;
    const reached = this.#world;
    this.#waiting = [];
    try {
      const flushed = this.#log.flush();
      if (flushed === undefined) return this.#flushSucceeded(batch, reached);
      this.#isFlushing = true;
      flushed.then(
        () => this.#flushSucceeded(batch, reached),
        (error: unknown) => this.#flushFailed(batch, asFailure(error)),
      );
    } catch (error) {
      this.#flushFailed(batch, asFailure(error));
    }
  }

  #flushSucceeded(batch: readonly Waiting[], reached: World): void {
    this.#isFlushing = false;
    this.#durable = reached;
    this.#trouble = undefined;
    for (const { entry, settled } of batch) {
      settled?.({ ok: true, entry });
      for (const listener of this.#listeners) listener(entry);
    }
    this.#saveSnapshotWhenDue();
    this.#goOn();
  }

  /** What was decided on top of what is lost is lost too: the world goes back to what is durable, and nobody is answered. */
  #flushFailed(batch: readonly Waiting[], failure: LogFailure): void {
    this.#isFlushing = false;
    const lost = [...batch, ...this.#waiting];
    this.#waiting = [];
    this.#world = this.#durable;
    this.#trouble = failure;
    for (const { settled } of lost) settled?.({ ok: false, failure });
    this.#goOn();
  }

  #goOn(): void {
    if (this.#waiting.length > 0) return this.#scheduleFlush();
    this.#watchClock();
    if (this.#waiting.length > 0) return;
    for (const quiet of this.#quiet.splice(0)) quiet();
  }

  #whenQuiet(): Promise<void> {
    if (this.#waiting.length === 0 && !this.#isFlushing) return Promise.resolve();
    return new Promise((resolve) => this.#quiet.push(resolve));
  }

  /** Sees to it that what is due happens: by an alarm on the system clock, by a jump on one that jumps when idle. */
  #watchClock(): void {
    if (this.#isStopped) return;
    const { clockMode } = this.#world;
    const jump = clockMode === 'auto' ? nextJump(this.#world) : undefined;
    if (jump !== undefined) {
      this.submit({ kind: 'ClockAdvanced', to: jump });
      return;
    }
    const alarmAt = clockMode === 'system' ? nextDue(this.#world) : undefined;
    if (alarmAt === this.#alarmAt) return;
    this.#alarmAt = alarmAt;
    this.#clock.setAlarm(alarmAt, () => {
      this.#alarmAt = undefined;
      this.submit({ kind: 'ClockAdvanced', to: this.#clock.now() });
    });
  }

  #saveSnapshotWhenDue(): void {
    const world = this.#durable;
    if (world.seq - this.#snapshotSeq < this.#snapshotGap) return;
    const snapshot = takeSnapshot(world);
    this.#snapshotSeq = world.seq;
    this.#snapshotGap = gapAfter(snapshot.parts.values());
    void this.#saveSnapshot(snapshot);
  }

  async #saveSnapshot(snapshot: Snapshot): Promise<void> {
    try {
      await this.#log.saveSnapshot(snapshot);
    } catch (error) {
      // It spares folding and nothing else: without room for it the next one may succeed, and closing must.
      asFailure(error);
    }
  }
}

/** A world of many megabytes is written less often: about as many entries apart as it has 256-byte pieces. */
function gapAfter(parts: Iterable<Uint8Array>): number {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  return Math.max(snapshotEntriesMin, Math.ceil(bytes / 256));
}

function asFailure(error: unknown): LogFailure {
  if (error instanceof LogFailure) return error;
  throw error;
}

function stopped(): LogFailure {
  return new LogFailure('DT_LOG_CLOSED', 'the simulator has stopped');
}
