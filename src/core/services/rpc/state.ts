import type { Map } from 'immutable';
import type { Descriptors } from './descriptors.ts';
import type { Stubs } from './stubs.ts';
import type { Headers } from './events.ts';

/** The rpc part of the world. */
export interface RpcState {
  readonly descriptors: Descriptors;
  readonly stubs: Stubs;
  /** How often each stub answered, by stub id, then by calling session. */
  readonly uses: Map<string, Map<string, number>>;
  /** Calls that have not ended, by the seq that opened them. */
  readonly calls: Map<number, OpenCall>;
}

export interface OpenCall {
  readonly id: number;
  readonly method: string;
  readonly session: string;
  readonly headers: Headers;
}
