import { Map as PersistentMap } from 'immutable';
import { methodsFor, type Descriptors } from './descriptors.ts';
import type { Violation } from './events.ts';
import { compileStub, type CompiledStub } from './matching/compiled-stub.ts';
import { emptyIndex, withoutStubs, withStubs, type StubIndex } from './matching/stub-index.ts';
import type { Stub } from './stub.ts';

/**
 * All stubs, with the index that finds the candidates for a call: an immutable value.
 *
 * The index follows from the stubs and the descriptors, and is no part of a snapshot: `addStubs(noStubs, …)` with the same
 * stubs, in any order, makes the same one.
 */
export interface Stubs {
  readonly byId: PersistentMap<string, Stub>;
  /** The place that the next new stub gets. */
  readonly nextOrder: number;
  /** Each stub worked out against the methods that it belongs to; none while they are unknown. */
  readonly compiled: PersistentMap<string, readonly CompiledStub[]>;
  readonly index: StubIndex;
}

export const noStubs: Stubs = {
  byId: PersistentMap(),
  nextOrder: 1,
  compiled: PersistentMap(),
  index: emptyIndex,
};

/** A stub that may leave its place to the collection. */
export type NewStub = Omit<Stub, 'order'> & { readonly order?: number };

export interface AddedStubs {
  readonly stubs: Stubs;
  /** What will never match; `pointer` begins with the stub's index in the list: `/0/input/equals/name`. */
  readonly warnings: readonly Violation[];
}

/**
 * Adds stubs; one with a known id replaces the stub that has it, and keeps its place. A new one takes the place that it
 * names, or else the next. It answers for every method that its names mean: `service` with or without the package.
 */
export function addStubs(stubs: Stubs, list: readonly NewStub[], descriptors: Descriptors): AddedStubs {
  const { placed, nextOrder } = placedStubs(stubs, list);
  const warnings: Violation[] = [];
  const compiled = new Map<string, readonly CompiledStub[]>();
  placed.forEach((stub, index) => compiled.set(stub.id, compile(stub, index, descriptors, warnings)));
  const replaced = placed.flatMap(({ id }) => stubs.compiled.get(id) ?? []);
  const added = compiled.size === 1 ? [...compiled.values()].flat() : flattened(compiled.values());
  return {
    stubs: {
      byId: stubs.byId.withMutations((map) => placed.forEach((stub) => map.set(stub.id, stub))),
      nextOrder,
      compiled: stubs.compiled.withMutations((map) => compiled.forEach((value, id) => map.set(id, value))),
      index: withStubs(replaced.length === 0 ? stubs.index : withoutStubs(stubs.index, replaced), added),
    },
    warnings,
  };
}

/** The stubs with their places; of one id, the last, in the place of the first. */
function placedStubs(
  stubs: Stubs,
  list: readonly NewStub[],
): { readonly placed: readonly Stub[]; readonly nextOrder: number } {
  let { nextOrder } = stubs;
  const places = new Map<string, number>();
  const placed = list.map((stub): Stub => {
    const order = stubs.byId.get(stub.id)?.order ?? places.get(stub.id) ?? stub.order ?? nextOrder;
    places.set(stub.id, order);
    nextOrder = Math.max(nextOrder, order + 1);
    return { ...stub, order };
  });
  return { placed, nextOrder };
}

function compile(
  stub: Stub,
  index: number,
  descriptors: Descriptors,
  warnings: Violation[],
): readonly CompiledStub[] {
  const { service, method } = stub.definition;
  const methods = methodsFor(descriptors, service, method);
  if (methods.length === 0) {
    const message = `no loaded descriptor has the method ${JSON.stringify(`${service}/${method}`)}; the stub waits for one`;
    warnings.push({ pointer: `/${index}/method`, message, ...placeOf(stub) });
  }
  return methods.map((desc) => {
    const { compiled, problems } = compileStub(stub, desc, descriptors.registry);
    for (const { pointer, message } of problems) {
      warnings.push({ pointer: `/${index}${pointer}`, message, ...placeOf(stub) });
    }
    return compiled;
  });
}

function placeOf({ source }: Stub): Pick<Violation, 'file' | 'line'> {
  return {
    ...(source.file !== undefined && { file: source.file }),
    ...(source.line !== undefined && { line: source.line }),
  };
}

function flattened<Item>(lists: Iterable<readonly Item[]>): readonly Item[] {
  const all: Item[] = [];
  for (const list of lists) all.push(...list);
  return all;
}

/** Ids that are not there are no error. */
export function removeStubs(stubs: Stubs, ids: readonly string[]): Stubs {
  const gone = [...new Set(ids)].filter((id) => stubs.byId.has(id));
  if (gone.length === 0) return stubs;
  return {
    ...stubs,
    byId: stubs.byId.deleteAll(gone),
    compiled: stubs.compiled.deleteAll(gone),
    index: withoutStubs(
      stubs.index,
      gone.flatMap((id) => stubs.compiled.get(id) ?? []),
    ),
  };
}

/**
 * Works stubs out anew after descriptors came or changed: all of the named services, without the names all there are. A
 * stub whose service was unknown is found now.
 */
export function reindexStubs(
  stubs: Stubs,
  descriptors: Descriptors,
  changedServices?: readonly string[],
): Stubs {
  const names = changedServices && new Set(changedServices.flatMap((name) => [name, shortName(name)]));
  const concerned = [...stubs.byId.values()].filter(
    ({ definition }) => names === undefined || names.has(definition.service),
  );
  return concerned.length === 0 ? stubs : addStubs(stubs, concerned, descriptors).stubs;
}

function shortName(service: string): string {
  return service.slice(service.lastIndexOf('.') + 1);
}

export function getStub(stubs: Stubs, id: string): Stub | undefined {
  return stubs.byId.get(id);
}

const sortedStubs = new WeakMap<Stubs, readonly Stub[]>();

/** By order of first load. */
export function allStubs(stubs: Stubs): readonly Stub[] {
  let sorted = sortedStubs.get(stubs);
  if (sorted === undefined) {
    sorted = [...stubs.byId.values()].sort((a, b) => a.order - b.order);
    sortedStubs.set(stubs, sorted);
  }
  return sorted;
}

export function stubsOfFile(stubs: Stubs, file: string): readonly Stub[] {
  return allStubs(stubs).filter((stub) => stub.source.file === file);
}

export function stubsOfSession(stubs: Stubs, session: string): readonly Stub[] {
  return allStubs(stubs).filter((stub) => stub.session === session);
}
