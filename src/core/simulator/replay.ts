import { holdsExactly } from '../kernel/entry-codec.ts';
import { decide } from './decide.ts';
import type { LogEntry } from './events.ts';
import { reduce } from './reduce.ts';
import type { World } from './world.ts';

/** Where deciding again gives something else than what was logged. */
export interface Divergence {
  readonly seq: number;
  /** A JSON pointer into the list of outcomes: `/1/bytes`. */
  readonly path: string;
  /** What the log holds there; absent when it holds nothing. */
  readonly logged?: unknown;
  /** What was decided there. */
  readonly decided?: unknown;
}

export interface Rechecked {
  readonly world: World;
  readonly divergence?: Divergence;
}

/**
 * Decides every input again, in the world that the log led to, and compares. Stops at the first entry that differs,
 * with `world` as it was before it.
 */
export function recheck(world: World, entries: Iterable<LogEntry>): Rechecked {
  let next = world;
  for (const entry of entries) {
    const decided = decide(next, entry.input, entry.at);
    if (holdsExactly(entry, decided)) {
      next = reduce(next, { seq: entry.seq, at: entry.at, input: entry.input, outcomes: decided });
      continue;
    }
    const found = firstDifference(entry.outcomes, decided, '');
    if (found !== undefined) return { world: next, divergence: { seq: entry.seq, ...found } };
    next = reduce(next, entry);
  }
  return { world: next };
}

type Difference = Omit<Divergence, 'seq'>;

/** The first place, in the order of the logged value, in which two values differ. */
function firstDifference(logged: unknown, decided: unknown, path: string): Difference | undefined {
  if (logged === decided) return undefined;
  if (logged instanceof Uint8Array || decided instanceof Uint8Array)
    return differentBytes(logged, decided, path);
  if (Array.isArray(logged) && Array.isArray(decided)) return differentItem(logged, decided, path);
  if (isPlainObject(logged) && isPlainObject(decided)) return differentKey(logged, decided, path);
  return { path, logged, decided };
}

function differentBytes(logged: unknown, decided: unknown, path: string): Difference | undefined {
  const same =
    logged instanceof Uint8Array &&
    decided instanceof Uint8Array &&
    logged.length === decided.length &&
    logged.every((byte, index) => byte === decided[index]);
  return same ? undefined : { path, logged, decided };
}

function differentItem(
  logged: readonly unknown[],
  decided: readonly unknown[],
  path: string,
): Difference | undefined {
  for (const [index, item] of logged.entries()) {
    if (index >= decided.length) return { path: `${path}/${index}`, logged: item };
    const found = firstDifference(item, decided[index], `${path}/${index}`);
    if (found !== undefined) return found;
  }
  if (decided.length === logged.length) return undefined;
  return { path: `${path}/${logged.length}`, decided: decided[logged.length] };
}

function differentKey(logged: Fields, decided: Fields, path: string): Difference | undefined {
  for (const key in logged) {
    if (logged[key] === decided[key]) continue;
    const found = firstDifference(logged[key], decided[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  for (const key in decided) {
    if (decided[key] !== undefined && !Object.hasOwn(logged, key))
      return { path: `${path}/${key}`, decided: decided[key] };
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
