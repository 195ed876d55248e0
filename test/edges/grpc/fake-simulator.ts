import type { DescMethod } from '@bufbuild/protobuf';
import type { OpenCall } from '../../../src/core/services/rpc/state.ts';
import { newCall } from '../../../src/core/services/rpc/state.ts';
import type { ClockMode, Input, LogEntry, Outcome } from '../../../src/core/simulator/events.ts';
import type { LogFailure, Manifest } from '../../../src/core/simulator/ports.ts';
import type { Settlement, Simulator } from '../../../src/core/simulator/simulator.ts';
import { emptyWorld, type World } from '../../../src/core/simulator/world.ts';

/** What the simulator makes of an input; `call` is the id of the call that it is about. */
export type Decide = (input: Input, call: number, open: OpenCall | undefined) => readonly Outcome[];

export interface FakeSimulator extends Simulator {
  /** Everything durable, in order. */
  readonly log: readonly LogEntry[];
  /** Resolves with the first durable entry, from now or before, for which `wanted` holds. */
  committed(wanted: (entry: LogEntry) => boolean): Promise<LogEntry>;
  /** Nothing becomes durable until `resume`. */
  pause(): void;
  resume(): void;
  /** The next flush fails with this. */
  failNext(failure: LogFailure): void;
  /** Makes methods known that were not. */
  learn(methods: Readonly<Record<string, DescMethod['methodKind']>>): void;
}

interface Waiting {
  readonly entry: LogEntry;
  readonly settled: ((settlement: Settlement) => void) | undefined;
}

const manifest: Manifest = {
  format: 1,
  seed: 'test',
  clock: { mode: 'system', startAt: 0 },
  reducerDigest: '',
  compat: [],
};

/** A simulator that decides as a test says, and groups commits as the real one does. It keeps everything in memory. */
export function makeFakeSimulator(decide: Decide, clockMode: ClockMode = 'system'): FakeSimulator {
  const log: LogEntry[] = [];
  const listeners = new Set<(entry: LogEntry) => void>();
  const methods = new Map<string, DescMethod>();
  let waiting: Waiting[] = [];
  let world: World = withMethods({ ...emptyWorld(manifest), clockMode }, methods);
  let durable = world;
  let paused = false;
  let scheduled = false;
  let failure: LogFailure | undefined;

  function schedule(): void {
    if (paused || scheduled || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (!paused) flush();
    });
  }

  function flush(): void {
    const batch = waiting;
    const failed = failure;
    waiting = [];
    failure = undefined;
    if (failed !== undefined) {
      world = durable;
      for (const { settled } of batch) settled?.({ ok: false, failure: failed });
      return;
    }
    durable = world;
    for (const { entry, settled } of batch) {
      log.push(entry);
      settled?.({ ok: true, entry });
      for (const listener of listeners) listener(entry);
    }
  }

  const simulator: FakeSimulator = {
    manifest,
    log,
    head: () => ({ seq: durable.seq, hash: '' }),
    world: () => world,
    submit(input, settled) {
      const seq = world.seq + 1;
      const call = 'call' in input && input.call !== undefined ? input.call : seq;
      const open = world.rpc.calls.get(call);
      const entry = { seq, at: 0, input, outcomes: decide(input, call, open) };
      world = reduced(world, entry);
      waiting.push({ entry, settled });
      schedule();
      return seq;
    },
    onCommitted(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    entries: async (from, limit) => log.slice(from - 1, from - 1 + limit),
    worldAt: async () => durable,
    runTo: async () => {},
    setClockMode: async () => {},
    trouble: () => undefined,
    stop: async () => {},
    committed(wanted) {
      const found = log.find(wanted);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve) => {
        const stop = simulator.onCommitted((entry) => {
          if (!wanted(entry)) return;
          stop();
          resolve(entry);
        });
      });
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      schedule();
    },
    failNext(next) {
      failure = next;
    },
    learn(kinds) {
      // Only the kind is looked at by the edge.
      for (const [path, methodKind] of Object.entries(kinds)) methods.set(path, { methodKind } as DescMethod);
    },
  };
  return simulator;
}

function withMethods(world: World, methods: ReadonlyMap<string, DescMethod>): World {
  return { ...world, rpc: { ...world.rpc, descriptors: { ...world.rpc.descriptors, methods } } };
}

function reduced(world: World, { seq, at, input, outcomes }: LogEntry): World {
  let { calls } = world.rpc;
  if (input.kind === 'CallOpened') calls = calls.set(seq, newCall(input, seq, at));
  for (const outcome of outcomes) if (outcome.kind === 'CallEnded') calls = calls.delete(outcome.call);
  return { ...world, seq, rpc: { ...world.rpc, calls } };
}
