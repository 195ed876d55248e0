import { Map } from 'immutable';
import type { Descriptors } from './descriptors.ts';
import type { Violation } from './events.ts';
import type { Stub } from './stub.ts';

/** All stubs, with the index that finds the candidates for a call: an immutable value. */
export interface Stubs {
  readonly byId: Map<string, Stub>;
  /** The place that the next new stub gets. */
  readonly nextOrder: number;
}

export const noStubs: Stubs = { byId: Map(), nextOrder: 1 };

/** A stub that may leave its place to the collection. */
export type NewStub = Omit<Stub, 'order'>;

export interface AddedStubs {
  readonly stubs: Stubs;
  /** `pointer` begins with the stub's index in the list: `/0/input/equals/name`. */
  readonly warnings: readonly Violation[];
}

export function addStubs(stubs: Stubs, list: readonly NewStub[], _descriptors: Descriptors): AddedStubs {
  let { nextOrder } = stubs;
  const byId = stubs.byId.withMutations((map) => {
    for (const stub of list) map.set(stub.id, { ...stub, order: map.get(stub.id)?.order ?? nextOrder++ });
  });
  return { stubs: { byId, nextOrder }, warnings: [] };
}

export function removeStubs(stubs: Stubs, ids: readonly string[]): Stubs {
  return { ...stubs, byId: stubs.byId.deleteAll(ids) };
}

export function reindexStubs(
  stubs: Stubs,
  _descriptors: Descriptors,
  _changedServices: readonly string[],
): Stubs {
  return stubs;
}

export function getStub(stubs: Stubs, id: string): Stub | undefined {
  return stubs.byId.get(id);
}

/** By order of first load. */
export function allStubs(stubs: Stubs): readonly Stub[] {
  return [...stubs.byId.values()].sort((a, b) => a.order - b.order);
}

export function stubsOfFile(stubs: Stubs, file: string): readonly Stub[] {
  return allStubs(stubs).filter((stub) => stub.source.file === file);
}

export function stubsOfSession(stubs: Stubs, session: string): readonly Stub[] {
  return allStubs(stubs).filter((stub) => stub.session === session);
}
