import { EmptyBTree } from 'sorted-btree';
import type SortedBTree from 'sorted-btree';
// The package is CommonJS: its class is the `default` of what types see as the default.
type SortedTree<Key, Value> = SortedBTree.default<Key, Value>;

/**
 * What falls due when: an immutable set of (moment, id), sorted. Both are whole numbers; of equal moments the lower
 * id falls due first. Adding and removing cost the logarithm of the size and leave the old value as it was.
 */
export type Timers = SortedTree<number, SortedTree<number, true>>;

export const noTimers: Timers = EmptyBTree as Timers;
const noIds = EmptyBTree as SortedTree<number, true>;

export function withTimer(timers: Timers, at: number, id: number): Timers {
  return timers.with(at, (timers.get(at) ?? noIds).with(id, true), true);
}

export function withoutTimer(timers: Timers, at: number, id: number): Timers {
  const ids = timers.get(at)?.without(id);
  if (ids === undefined) return timers;
  return ids.isEmpty ? timers.without(at) : timers.with(at, ids, true);
}

/** The first that falls due, if any. */
export function firstTimer(timers: Timers): { readonly at: number; readonly id: number } | undefined {
  const at = timers.minKey();
  const id = at === undefined ? undefined : timers.get(at)?.minKey();
  return at === undefined || id === undefined ? undefined : { at, id };
}

/** All timers, the first first. */
export function* timersInOrder(timers: Timers): Generator<{ readonly at: number; readonly id: number }> {
  for (const [at, ids] of timers.entries()) for (const id of ids.keys()) yield { at, id };
}
