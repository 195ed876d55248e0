import { sizeOf, valuesOf } from '../../../kernel/sorted-set.ts';
import { compareRank, type CompiledStub, type Heard } from './compiled-stub.ts';
import { nearnessOf, subjectsOf } from './nearness-of-stub.ts';
import type { SessionIndex, StubSet } from './stub-index.ts';

/** Most stubs that are looked at for the closest one; half of them the best ranked, half found by a value they share. */
export const closestCandidatesMax = 32;

/**
 * The stub of which most rules hold, if at least half of them do. With more stubs than are looked at, it is the closest
 * of those that share a value with the call, and of the best ranked: a hint for a person, found in bounded time.
 */
export function closestIn(sessions: readonly SessionIndex[], heard: Heard): CompiledStub | undefined {
  let closest: CompiledStub | undefined;
  let nearness = 0;
  const subjects = subjectsOf(heard);
  for (const candidate of candidatesIn(sessions, heard)) {
    const next = nearnessOf(candidate, subjects);
    if (next < 0.5 || next < nearness) continue;
    if (closest !== undefined && next === nearness && compareRank(closest, candidate) < 0) continue;
    closest = candidate;
    nearness = next;
  }
  return closest;
}

function candidatesIn(sessions: readonly SessionIndex[], { messages }: Heard): ReadonlySet<CompiledStub> {
  const candidates = new Set<CompiledStub>();
  const half = closestCandidatesMax / 2;
  for (const { ranked } of sessions) addFirst(candidates, ranked, half / sessions.length);
  const message = messages[0];
  const sharing = sessions.flatMap(({ leaves }) =>
    leaves.flatMap(({ key, byValue }): readonly StubSet[] => {
      const value = key.foldedIn(message);
      const found = value === undefined ? undefined : byValue.get(value);
      return found === undefined ? [] : [found];
    }),
  );
  // The value that fewest stubs have says most.
  sharing.sort((a, b) => sizeOf(a) - sizeOf(b));
  for (const stubs of sharing) addFirst(candidates, stubs, closestCandidatesMax - candidates.size);
  return candidates;
}

function addFirst(candidates: Set<CompiledStub>, stubs: StubSet, count: number): void {
  let remaining = count;
  for (const stub of valuesOf(stubs)) {
    if (remaining <= 0) return;
    if (candidates.has(stub)) continue;
    candidates.add(stub);
    remaining -= 1;
  }
}
