import type { Entry } from '../kernel/entry.ts';
import { reduceRpc } from '../services/rpc/reduce.ts';
import type { RpcInput, RpcOutcome } from '../services/rpc/events.ts';
import type { LogEntry } from './events.ts';
import type { World } from './world.ts';

/** The world after one entry. Pure; the world before stays as it was. */
export function reduce(world: World, entry: LogEntry): World {
  const { seq, at } = entry;
  // Each service takes what it knows of an entry and leaves the rest.
  const rpc = reduceRpc(world.rpc, entry as unknown as Entry<RpcInput, RpcOutcome>);
  // Only an entry without outcomes can change the clock's mode, so most inputs need not be read.
  const changesMode = entry.outcomes.length === 0 && entry.input.kind === 'ClockModeChanged';
  return {
    seq,
    at,
    seed: world.seed,
    clockMode: changesMode && entry.input.kind === 'ClockModeChanged' ? entry.input.mode : world.clockMode,
    rpc,
  };
}

/** The world after entries that follow it in the log. */
export function fold(world: World, entries: Iterable<LogEntry>): World {
  let next = world;
  for (const entry of entries) next = reduce(next, entry);
  return next;
}
