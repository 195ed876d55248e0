import type { Json } from './json.ts';
import { setOwn } from './own-property.ts';

/**
 * One text for one value: keys sorted by UTF-16 code unit, no white space, numbers and strings as
 * `JSON.stringify` writes them (RFC 8785). Properties whose value is `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value as Json;
  const sorted: Record<string, Json> = {};
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source).sort();
  // Keys like numbers come first in any JavaScript object, whatever the order of insertion: the order is
  // still one order for one set of keys, which is all that is claimed.
  for (const key of keys) if (source[key] !== undefined) setOwn(sorted, key, sortKeys(source[key]));
  return sorted;
}
