import type { Headers, RpcInput, RpcOutcome } from '../services/rpc/events.ts';
import type { Entry } from '../kernel/entry.ts';

// All that can come in and all that can come of it, on one page.

export type Input = RpcInput | ClockAdvanced | ClockModeChanged | HttpRequestReceived;

export type Outcome = RpcOutcome | RequestMissed | ResponseGiven;

export type LogEntry = Entry<Input, Outcome>;

/** The log's clock reached `at` of this entry, and what was due is decided. */
export interface ClockAdvanced {
  readonly kind: 'ClockAdvanced';
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly to: number;
}

/** `system` follows the wall clock, `virtual` moves when it is told to, `auto` jumps to the next due moment when idle. */
export interface ClockModeChanged {
  readonly kind: 'ClockModeChanged';
  readonly mode: ClockMode;
}

export type ClockMode = 'system' | 'virtual' | 'auto';

/** `bytes` is the body as it came; absent when there was none. */
export interface HttpRequestReceived {
  readonly kind: 'HttpRequestReceived';
  readonly method: string;
  /** Path and query as they came, without the session prefix. */
  readonly target: string;
  readonly session: string;
  readonly headers: Headers;
  readonly bytes?: Uint8Array;
}

/** No simulated service answers the request; `ResponseGiven` follows with what the client is told. */
export interface RequestMissed {
  readonly kind: 'RequestMissed';
  readonly request: number;
}

export interface ResponseGiven {
  readonly kind: 'ResponseGiven';
  /** The seq of the request. */
  readonly request: number;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes?: Uint8Array;
}
