import SortedTree from 'sorted-btree';

/**
 * What falls due when: an immutable, sorted set of (moment, id). Both are whole numbers; of equal moments the lower
 * id falls due first. Adding and removing cost the logarithm of the size and leave the old value as it was.
 */
export type Timers = InstanceType<typeof SortedTree.default<TimerKey, undefined>>;

type TimerKey = readonly [at: number, id: number];

export const noTimers: Timers = new SortedTree.default<TimerKey, undefined>(undefined, compareKeys);

export function withTimer(timers: Timers, at: number, id: number): Timers {
  return timers.with([at, id], undefined) as Timers;
}

export function withoutTimer(timers: Timers, at: number, id: number): Timers {
  return timers.without([at, id]);
}

/** The first that falls due, if any. */
export function firstTimer(timers: Timers): { readonly at: number; readonly id: number } | undefined {
  const key = timers.minKey();
  return key === undefined ? undefined : { at: key[0], id: key[1] };
}

function compareKeys(a: TimerKey, b: TimerKey): number {
  return a[0] - b[0] || a[1] - b[1];
}
