import type { Map } from 'immutable';
import type { Stub } from './stub.ts';

/** All stubs, with the index that finds the candidates for a call: an immutable value. */
export interface Stubs {
  readonly byId: Map<string, Stub>;
  /** The place that the next new stub gets. */
  readonly nextOrder: number;
}
