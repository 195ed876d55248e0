import type { ClockMode } from '../../core/simulator/events.ts';
import type { Manifest } from '../../core/simulator/ports.ts';
import { reducerDigest } from '../../core/simulator/reducer-digest.ts';
import { formatVersion } from '../../edges/sqlite/schema.ts';

export interface ManifestOptions {
  readonly seed?: string;
  readonly clock?: ClockMode;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly startAt?: number;
  readonly compat?: 'gripmock';
}

/** Where ids and fake data come from when nobody says: the same in every run, so that two runs can be compared. */
const usualSeed = '1';
/** Where a clock starts that does not follow the wall clock. */
const usualStartAt = Date.UTC(2026, 0, 1);

/** The manifest of a new log. */
export function newManifest({
  seed = usualSeed,
  clock = 'system',
  startAt,
  compat,
}: ManifestOptions = {}): Manifest {
  return {
    format: formatVersion,
    seed,
    clock: { mode: clock, startAt: startAt ?? (clock === 'system' ? Date.now() : usualStartAt) },
    reducerDigest,
    compat: compat === undefined ? [] : [compat],
  };
}
