import { EmptyBTree } from 'sorted-btree';
import type SortedBTree from 'sorted-btree';

/**
 * An immutable sorted set: adding and removing cost the logarithm of the size and leave the old value as it was. A
 * small one is an array, as an index has very many of them.
 */
export type SortedSet<Value> = readonly Value[] | Tree<Value>;

type Tree<Value> = SortedBTree.default<Value, undefined>;

// The package is CommonJS, and loaders disagree on what its default is; they agree on what its instances are made by.
const SortedTree = EmptyBTree.constructor as typeof SortedBTree.default;

/** Negative when `a` comes first; 0 only for one and the same. */
export type Compare<Value> = (a: Value, b: Value) => number;

/** Of the array form. */
const arrayLengthMax = 16;

export const emptySet: readonly never[] = [];

export function withValues<Value>(
  set: SortedSet<Value>,
  values: readonly Value[],
  compare: Compare<Value>,
): SortedSet<Value> {
  if (isArray(set) && set.length + values.length <= arrayLengthMax) {
    return values.reduce<readonly Value[]>((array, value) => withOne(array, value, compare), set);
  }
  const tree = isArray(set) ? new SortedTree<Value, undefined>(undefined, compare) : set.clone();
  if (isArray(set)) for (const value of set) tree.set(value, undefined);
  for (const value of values) tree.set(value, undefined);
  return tree;
}

export function withoutValues<Value>(
  set: SortedSet<Value>,
  values: readonly Value[],
  compare: Compare<Value>,
): SortedSet<Value> {
  if (isArray(set)) return set.filter((value) => !values.some((gone) => compare(gone, value) === 0));
  const tree = set.clone();
  for (const value of values) tree.delete(value);
  return tree.size > arrayLengthMax ? tree : tree.keysArray();
}

export function sizeOf<Value>(set: SortedSet<Value>): number {
  return isArray(set) ? set.length : set.size;
}

/** In order. */
export function valuesOf<Value>(set: SortedSet<Value>): Iterable<Value> {
  return isArray(set) ? set : set.keys();
}

function withOne<Value>(array: readonly Value[], value: Value, compare: Compare<Value>): readonly Value[] {
  const at = array.findIndex((other) => compare(value, other) <= 0);
  const place = at === -1 ? array.length : at;
  const isThere = at !== -1 && compare(value, array[at] as Value) === 0;
  return array.toSpliced(place, isThere ? 1 : 0, value);
}

function isArray<Value>(set: SortedSet<Value>): set is readonly Value[] {
  return Array.isArray(set);
}
