import { Map as PersistentMap } from 'immutable';
import { emptySet, sizeOf, withoutValues, withValues, type SortedSet } from '../../../kernel/sorted-set.ts';
import { methodPath } from '../descriptors.ts';
import { compareRank, requirementsOf, type CompiledStub } from './compiled-stub.ts';
import { leavesOf, type LeafKey } from './leaf-key.ts';
import { placeOf, type Signature } from './signature.ts';

/**
 * Finds the stubs that a call may match, without looking at the others: an immutable value, changed at the cost of the
 * change. By path of the method, then by session of the stub:
 *
 *     /shop.Shop/Buy ─▶ "" ─▶ signatures  {name}          "ann" ─▶ best stub, next…
 *                                         {name, :tenant} "ann","eu" ─▶ …
 *                             leaves      name "ann" ─▶ …      for the closest stub of a miss
 *                             ranked      all of them, best first
 */
export type StubIndex = PersistentMap<string, PersistentMap<string, SessionIndex>>;

export interface SessionIndex {
  readonly ranked: StubSet;
  /** Sorted by id, as are the leaves. */
  readonly signatures: readonly Table<Signature>[];
  readonly leaves: readonly Table<LeafKey>[];
}

/** The stubs that have the same `key`, by its value. */
export interface Table<Key extends { readonly id: string }> {
  readonly key: Key;
  readonly byValue: PersistentMap<string, StubSet>;
}

/** Best first. */
export type StubSet = SortedSet<CompiledStub>;

export const emptyIndex: StubIndex = PersistentMap();

const emptySession: SessionIndex = { ranked: emptySet, signatures: [], leaves: [] };

export function withStubs(index: StubIndex, stubs: readonly CompiledStub[]): StubIndex {
  return changed(index, stubs, withValues);
}

/** `stubs` are the very ones that were added. */
export function withoutStubs(index: StubIndex, stubs: readonly CompiledStub[]): StubIndex {
  return changed(index, stubs, withoutValues);
}

type Change = typeof withValues<CompiledStub>;

/** All changes to one part together, so that a bulk load makes each part once. */
function changed(index: StubIndex, stubs: readonly CompiledStub[], change: Change): StubIndex {
  if (stubs.length === 0) return index;
  return index.withMutations((methods) => {
    for (const [path, ofMethod] of groupedBy(stubs, ({ method }) => methodPath(method))) {
      const sessions = (methods.get(path) ?? PersistentMap<string, SessionIndex>()).withMutations((map) => {
        for (const [session, ofSession] of groupedBy(ofMethod, ({ stub }) => stub.session)) {
          const next = changedSession(map.get(session) ?? emptySession, ofSession, change);
          if (sizeOf(next.ranked) === 0) map.delete(session);
          else map.set(session, next);
        }
      });
      if (sessions.size === 0) methods.delete(path);
      else methods.set(path, sessions);
    }
  });
}

function changedSession(session: SessionIndex, stubs: readonly CompiledStub[], change: Change): SessionIndex {
  const signatures = new Changes<Signature>();
  const leaves = new Changes<LeafKey>();
  for (const stub of stubs) {
    for (const requirement of requirementsOf(stub)) {
      const { signature, values } = placeOf(stub.shape, requirement);
      signatures.add(signature, values, stub);
    }
    for (const { key, value } of leavesOf(stub)) leaves.add(key, value, stub);
  }
  return {
    ranked: change(session.ranked, stubs, compareRank),
    signatures: signatures.applied(session.signatures, change),
    leaves: leaves.applied(session.leaves, change),
  };
}

/** What changes in the tables of one session, gathered by table and value. */
class Changes<Key extends { readonly id: string }> {
  readonly #byId = new Map<string, { readonly key: Key; readonly byValue: Map<string, CompiledStub[]> }>();

  add(key: Key, value: string, stub: CompiledStub): void {
    let table = this.#byId.get(key.id);
    if (table === undefined) {
      table = { key, byValue: new Map() };
      this.#byId.set(key.id, table);
    }
    push(table.byValue, value, stub);
  }

  applied(tables: readonly Table<Key>[], change: Change): readonly Table<Key>[] {
    if (this.#byId.size === 0) return tables;
    const remaining = new Map(this.#byId);
    const next = tables.flatMap((table) => {
      const changes = remaining.get(table.key.id);
      if (changes === undefined) return [table];
      remaining.delete(table.key.id);
      return nonEmpty({ key: table.key, byValue: changedValues(table.byValue, changes.byValue, change) });
    });
    for (const { key, byValue } of remaining.values()) {
      next.push(...nonEmpty({ key, byValue: changedValues(PersistentMap(), byValue, change) }));
    }
    return remaining.size === 0 ? next : next.sort((a, b) => (a.key.id < b.key.id ? -1 : 1));
  }
}

function nonEmpty<Key extends { readonly id: string }>(table: Table<Key>): readonly Table<Key>[] {
  return table.byValue.size === 0 ? [] : [table];
}

function changedValues(
  byValue: PersistentMap<string, StubSet>,
  changes: ReadonlyMap<string, readonly CompiledStub[]>,
  change: Change,
): PersistentMap<string, StubSet> {
  return byValue.withMutations((map) => {
    for (const [value, stubs] of changes) {
      const next = change(map.get(value) ?? emptySet, stubs, compareRank);
      if (sizeOf(next) === 0) map.delete(value);
      else map.set(value, next);
    }
  });
}

function groupedBy<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    push(groups, keyOf(value), value);
  }
  return groups;
}

function push<Value>(groups: Map<string, Value[]>, key: string, value: Value): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
