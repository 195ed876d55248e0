import type { RpcState } from '../services/rpc/state.ts';
import { noRpc } from '../services/rpc/state.ts';
import type { ClockMode } from './events.ts';
import type { Manifest } from './ports.ts';

/** Everything that is so at one seq: an immutable value, and a cache of the log. */
export interface World {
  /** The last entry that is in it; 0 in the empty world. */
  readonly seq: number;
  /** The log's clock: milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
  readonly seed: string;
  readonly clockMode: ClockMode;
  readonly rpc: RpcState;
}

/** The world before the first entry of a log. */
export function emptyWorld(manifest: Manifest): World {
  return {
    seq: 0,
    at: manifest.clock.startAt,
    seed: manifest.seed,
    clockMode: manifest.clock.mode,
    rpc: { ...noRpc, gripmock: manifest.compat.includes('gripmock') },
  };
}
