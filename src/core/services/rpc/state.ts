import { List, Map } from 'immutable';
import { noTimers, type Timers } from '../../kernel/timers.ts';
import { noDescriptors, type Descriptors } from './descriptors.ts';
import type { CallOpened, Headers } from './events.ts';
import type { Stub } from './stub.ts';
import { noStubs, type Stubs } from './stubs.ts';

/** The rpc part of the world. */
export interface RpcState {
  /** Behaviour of later tools of the family, asked for when the log was made. */
  readonly gripmock: boolean;
  readonly descriptors: Descriptors;
  readonly stubs: Stubs;
  /** How often each stub answered, by stub id, then by calling session. */
  readonly uses: Map<string, Map<string, number>>;
  /** Calls that have not ended, by the seq that opened them. */
  readonly calls: Map<number, OpenCall>;
  /** When each open call goes on by itself; derived from `calls`. */
  readonly timers: Timers;
}

export const noRpc: RpcState = {
  gripmock: false,
  descriptors: noDescriptors,
  stubs: noStubs,
  uses: Map(),
  calls: Map(),
  timers: noTimers,
};

/** A call between its first and its last entry. All have all properties, in one order: engines copy such objects fast. */
export interface OpenCall {
  /** The seq of the entry that opened it. */
  readonly id: number;
  /** `/package.Service/Method`. */
  readonly method: string;
  readonly session: string;
  readonly headers: Headers;
  readonly openedAt: number;
  readonly deadlineAt: number | undefined;
  /** What the client sent so far, as it came. */
  readonly received: List<Uint8Array>;
  readonly receivedBytes: number;
  readonly halfClosed: boolean;
  /** The stub that answers; it stays the same value when it is replaced or dropped meanwhile. */
  readonly stub: Stub | undefined;
  /** Counts from 1; 0 while no stub answers. */
  readonly attempt: number;
  readonly headersSent: boolean;
  /** Messages that went out. */
  readonly sent: number;
  readonly effectsDone: boolean;
  /** Nothing goes out before this moment. */
  readonly waitsUntil: number | undefined;
}

export function newCall(input: CallOpened, id: number, at: number): OpenCall {
  const whole = input.bytes;
  return {
    id,
    method: input.method,
    session: input.session,
    headers: input.headers,
    openedAt: at,
    deadlineAt: input.timeoutMs === undefined ? undefined : at + input.timeoutMs,
    received: whole === undefined ? noMessages : List.of(whole),
    receivedBytes: whole?.length ?? 0,
    halfClosed: whole !== undefined,
    stub: undefined,
    attempt: 0,
    headersSent: false,
    sent: 0,
    effectsDone: false,
    waitsUntil: undefined,
  };
}

const noMessages = List<Uint8Array>();

/** How often the stub has answered that session. */
export function usesOf(state: RpcState, stub: string, session: string): number {
  return state.uses.get(stub)?.get(session) ?? 0;
}

/** True once the stub has answered the session as often as it may. */
export function isExhausted(state: RpcState, stub: Stub, session: string): boolean {
  const times = stub.definition.options?.times ?? 0;
  return times > 0 && usesOf(state, stub.id, session) >= times;
}
