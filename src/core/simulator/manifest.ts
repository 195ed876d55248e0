import { isJsonObject } from '../kernel/json.ts';
import type { Manifest } from './ports.ts';

/** `value`, read from a file, as a manifest; `undefined` when it is none. What a later version added is kept. */
export function asManifest(value: unknown): Manifest | undefined {
  return isManifest(value) ? value : undefined;
}

function isManifest(value: unknown): value is Manifest {
  if (!isJsonObject(value)) return false;
  const { format, seed, clock, reducerDigest, compat } = value;
  return (
    Number.isSafeInteger(format) &&
    typeof seed === 'string' &&
    typeof reducerDigest === 'string' &&
    Array.isArray(compat) &&
    isJsonObject(clock) &&
    typeof clock['mode'] === 'string' &&
    Number.isSafeInteger(clock['startAt'])
  );
}
