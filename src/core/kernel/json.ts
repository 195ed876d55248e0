/** A value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON values. May have a null prototype; read it with `Object.hasOwn` or `Object.entries`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for an object that is not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * True when `value` nests deeper than `levelsMax`. Walks with a stack of its own, so that a hostile depth
 * cannot overflow the engine's.
 */
export function isDeeperThan(value: unknown, levelsMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levelsMax) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
