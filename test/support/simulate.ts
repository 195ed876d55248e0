import { createSimulator } from '../../src/core/simulator/create-simulator.ts';
import type { ClockMode, Input, LogEntry, Outcome } from '../../src/core/simulator/events.ts';
import type { Clock, EventLog, Manifest } from '../../src/core/simulator/ports.ts';
import { reducerDigest } from '../../src/core/simulator/reducer-digest.ts';
import { submitted, type Simulator } from '../../src/core/simulator/simulator.ts';
import type { Json } from '../../src/core/kernel/json.ts';
import type { StubDefinition } from '../../src/core/services/rpc/stub.ts';
import { stubsLoadedInput } from '../../src/core/services/rpc/stubs-loaded.ts';
import { openSqliteLog } from '../../src/edges/sqlite/open-sqlite-log.ts';
import { decodeLine, encodeLine, talkDescriptors } from './talk-protos.ts';

/** 2026-01-01T00:00:00Z. */
export const startAt = 1_767_225_600_000;

export function manifest(clock: ClockMode = 'virtual', compat: readonly 'gripmock'[] = []): Manifest {
  return { format: 1, seed: 'seven', clock: { mode: clock, startAt }, reducerDigest, compat };
}

/** A clock that moves when the test says so, and rings when it passes an alarm. */
export function handClock(): Clock & { pass(ms: number): void } {
  let now = startAt;
  let alarm: { at: number; ring: () => void } | undefined;
  return {
    now: () => now,
    setAlarm(at, ring) {
      alarm = at === undefined ? undefined : { at, ring };
    },
    pass(ms) {
      now += ms;
      if (alarm === undefined || alarm.at > now) return;
      const { ring } = alarm;
      alarm = undefined;
      ring();
    },
  };
}

/** A simulator in memory that knows `talk.v1.Talk` and these stubs. */
export async function simulate(
  stubs: readonly Partial<StubDefinition>[] = [],
  options: {
    readonly log?: EventLog;
    readonly clock?: Clock;
    readonly mode?: ClockMode;
    readonly gripmock?: boolean;
  } = {},
): Promise<Simulator> {
  const log =
    options.log ??
    openSqliteLog({ manifest: manifest(options.mode, options.gripmock === true ? ['gripmock'] : []) });
  const simulator = await createSimulator({
    log,
    clock: options.clock ?? handClock(),
    schedule: setImmediate,
  });
  if (log.head.seq > 0) return simulator;
  await submitted(simulator, { kind: 'DescriptorsLoaded', source: 'test', bytes: talkDescriptors });
  if (stubs.length > 0) await load(simulator, stubs);
  return simulator;
}

/** Loads stubs; what a stub does not say is `talk.v1.Talk`. Gives the outcomes. */
export async function load(
  simulator: Simulator,
  stubs: readonly Partial<StubDefinition>[],
): Promise<readonly Outcome[]> {
  const definitions = stubs.map((stub) => ({ service: 'talk.v1.Talk', method: 'Say', output: {}, ...stub }));
  const entry = await submitted(simulator, stubsLoadedInput({ definitions, source: { from: 'api' } }));
  return entry.outcomes;
}

/** A unary or server-streaming call. Gives its entry. */
export function call(
  simulator: Simulator,
  method: string,
  message: Json,
  more: {
    readonly session?: string;
    readonly headers?: readonly (readonly [string, string])[];
    readonly timeoutMs?: number;
  } = {},
): Promise<LogEntry> {
  return submitted(simulator, {
    kind: 'CallOpened',
    method: `/talk.v1.Talk/${method}`,
    session: '',
    headers: [],
    ...more,
    bytes: encodeLine(message as never),
  });
}

/** A call on which the client streams: one method for each thing that a client does. */
export async function converse(simulator: Simulator, method: string, session = '', timeoutMs?: number) {
  const opened = await submitted(simulator, {
    kind: 'CallOpened',
    method: `/talk.v1.Talk/${method}`,
    session,
    headers: [],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const id = opened.seq;
  const tell = (input: Input) => submitted(simulator, input).then((entry) => heard(entry.outcomes));
  return {
    id,
    say: (message: Json) => tell({ kind: 'MessageReceived', call: id, bytes: encodeLine(message as never) }),
    finish: () => tell({ kind: 'CallHalfClosed', call: id }),
    cancel: () => tell({ kind: 'CallCancelled', call: id, reason: 'client' }),
  };
}

/** What a client sees of outcomes: messages decoded, then `[code]` or `[code, message]`; waits as `wait n`. */
export function heard(outcomes: readonly Outcome[]): readonly unknown[] {
  return outcomes.flatMap((outcome): readonly unknown[] => {
    switch (outcome.kind) {
      case 'MessageSent':
        return [decodeLine(outcome.bytes)];
      case 'HeadersSent':
        return [{ headers: outcome.headers }];
      case 'ReplyDelayed':
        return [`wait until ${outcome.until - startAt}`];
      case 'CallEnded':
        return [outcome.message === undefined ? [outcome.code] : [outcome.code, outcome.message]];
      default:
        return [];
    }
  });
}

/** The outcomes of a call, whichever entry they stand in. */
export async function allHeard(simulator: Simulator, id: number): Promise<readonly unknown[]> {
  const entries = await simulator.entries(1, 10_000);
  return entries.flatMap((entry) =>
    heard(entry.outcomes.filter((outcome) => 'call' in outcome && outcome.call === id)),
  );
}
