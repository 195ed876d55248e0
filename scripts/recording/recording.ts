import { createSimulator } from '../../src/core/simulator/create-simulator.ts';
import type { ClockMode } from '../../src/core/simulator/events.ts';
import type { Clock, Manifest } from '../../src/core/simulator/ports.ts';
import { jsonLinesOf } from '../../src/edges/json-lines/write-json-lines.ts';
import type { Simulator } from '../../src/core/simulator/simulator.ts';
import { openSqliteLog } from '../../src/edges/sqlite/open-sqlite-log.ts';
import { Recorder } from './recorder.ts';

export interface Recording {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly clock?: ClockMode;
  readonly compat?: Manifest['compat'];
  readonly play: (recorder: Recorder, wall: WallClock) => Promise<void>;
}

/** 2026-01-01T00:00:00Z. */
const startAt = 1_767_225_600_000;

// Recordings outlive the reducers of the day: with their digest in it, every change of core would rewrite all of them.
const reducerDigest = 'recording';

/** Plays a recording, in memory. The text of its file. */
export async function recorded({ name, clock = 'virtual', compat = [], play }: Recording): Promise<string> {
  const manifest = { format: 1, seed: name, clock: { mode: clock, startAt }, reducerDigest, compat };
  const log = openSqliteLog({ manifest });
  const wall = new WallClock();
  const simulator = await createSimulator({ log, clock: wall, schedule: setImmediate });
  await play(new Recorder(simulator), wall);
  await untilDurable(simulator);
  const lines: string[] = [];
  for await (const line of jsonLinesOf(log)) lines.push(line);
  await simulator.stop();
  return lines.join('');
}

// A clock that jumps by itself takes inputs in that nobody waits for.
async function untilDurable(simulator: Simulator): Promise<void> {
  while (simulator.head().seq < simulator.world().seq) await new Promise((resolve) => setImmediate(resolve));
}

/** What the wall clock would say; it moves when a recording says so. */
export class WallClock implements Clock {
  #now = startAt;
  #alarm: { readonly at: number; readonly ring: () => void } | undefined;

  now(): number {
    return this.#now;
  }

  setAlarm(at: number | undefined, ring: () => void): void {
    this.#alarm = at === undefined ? undefined : { at, ring };
  }

  /** Also back: somebody set the machine's clock. */
  pass(ms: number): void {
    this.#now += ms;
    const alarm = this.#alarm;
    if (alarm === undefined || alarm.at > this.#now) return;
    this.#alarm = undefined;
    alarm.ring();
  }
}
