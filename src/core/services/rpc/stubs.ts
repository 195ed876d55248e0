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
  readonly byId: PersistentMap<string, KeptStub>;
  /** The place that the next new stub gets. */
  readonly nextOrder: number;
  readonly index: StubIndex;
}

export interface KeptStub {
  readonly stub: Stub;
  /** Worked out against each method that it belongs to; none while they are unknown. */
  readonly compiled: readonly CompiledStub[];
}

export const noStubs: Stubs = {
  byId: PersistentMap(),
  nextOrder: 1,
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
  const kept = new Map<string, KeptStub>();
  placed.forEach((stub, index) => {
    kept.set(stub.id, { stub, compiled: compile(stub, index, descriptors, warnings) });
  });
  const replaced = compiledOf(Array.from(kept.keys(), (id) => stubs.byId.get(id)));
  return {
    stubs: {
      byId: stubs.byId.withMutations((map) => kept.forEach((value, id) => map.set(id, value))),
      nextOrder,
      index: withStubs(withoutStubs(stubs.index, replaced), compiledOf([...kept.values()])),
    },
    warnings,
  };
}

function compiledOf(kept: readonly (KeptStub | undefined)[]): readonly CompiledStub[] {
  return kept.flatMap((each) => each?.compiled ?? []);
}

/** The stubs with their places; of one id, the last, in the place of the first. */
function placedStubs(
  stubs: Stubs,
  list: readonly NewStub[],
): { readonly placed: readonly Stub[]; readonly nextOrder: number } {
  let { nextOrder } = stubs;
  const places = new Map<string, number>();
  const placed = list.map((stub): Stub => {
    const order = stubs.byId.get(stub.id)?.stub.order ?? places.get(stub.id) ?? stub.order ?? nextOrder;
    places.set(stub.id, order);
    nextOrder = Math.max(nextOrder, order + 1);
    // The very stub where it can be: what was worked out for it when it was checked hangs on it.
    return hasPlace(stub, order) ? stub : { ...stub, order };
  });
  return { placed, nextOrder };
}

function hasPlace(stub: NewStub, order: number): stub is Stub {
  return stub.order === order;
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

/** Ids that are not there are no error. */
export function removeStubs(stubs: Stubs, ids: readonly string[]): Stubs {
  const gone = [...new Set(ids)].filter((id) => stubs.byId.has(id));
  if (gone.length === 0) return stubs;
  return {
    ...stubs,
    byId: stubs.byId.deleteAll(gone),
    index: withoutStubs(stubs.index, compiledOf(gone.map((id) => stubs.byId.get(id)))),
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
  const concerned = Array.from(stubs.byId.values(), ({ stub }) => stub).filter(
    ({ definition }) => names === undefined || names.has(definition.service),
  );
  return concerned.length === 0 ? stubs : addStubs(stubs, concerned, descriptors).stubs;
}

function shortName(service: string): string {
  return service.slice(service.lastIndexOf('.') + 1);
}

export function getStub(stubs: Stubs, id: string): Stub | undefined {
  return stubs.byId.get(id)?.stub;
}

const sortedStubs = new WeakMap<Stubs, readonly Stub[]>();

/** By order of first load. */
export function allStubs(stubs: Stubs): readonly Stub[] {
  let sorted = sortedStubs.get(stubs);
  if (sorted === undefined) {
    sorted = Array.from(stubs.byId.values(), ({ stub }) => stub).sort((a, b) => a.order - b.order);
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
