import type { RpcState } from '../services/rpc/state.ts';
import type { ClockMode } from './events.ts';

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
