import type { StubSource } from './stub.ts';

/** Header or metadata pairs in the order of the wire. A `-bin` value is base64; a credential is a fingerprint. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A broken rule: where it is broken, what was expected, what came. */
export interface Violation {
  /** A JSON pointer (RFC 6901) into the payload; empty for the payload itself. */
  readonly pointer: string;
  readonly message: string;
  readonly file?: string;
  /** Counts from 1. */
  readonly line?: number;
}

// ── Inputs: what came from outside ──────────────────────────────────────────────────────────────────────────

export type RpcInput =
  | DescriptorsLoaded
  | StubsLoaded
  | StubsRemoved
  | CallOpened
  | MessageReceived
  | CallHalfClosed
  | CallCancelled
  | CallAborted;

/** `bytes` is a `google.protobuf.FileDescriptorSet`, in an order in which no file stands before its imports. */
export interface DescriptorsLoaded {
  readonly kind: 'DescriptorsLoaded';
  /** A file, a folder or `api`, for people. */
  readonly source: string;
  readonly bytes: Uint8Array;
}

/** `bytes` is canonical JSON: an array of stub definitions. Credentials in header rules are fingerprints. */
export interface StubsLoaded {
  readonly kind: 'StubsLoaded';
  /** `line` of the source is left out here; `lines[k]` is where stub `k` begins. */
  readonly source: StubSource;
  readonly lines?: readonly number[];
  /** Stubs that came from the same `source.file` and are not in `bytes` are dropped. */
  readonly replacesFile: boolean;
  /** Given to stubs that name no session of their own. */
  readonly session: string;
  readonly bytes: Uint8Array;
}

/** Removes what all the given conditions hold for; without any, every stub. */
export interface StubsRemoved {
  readonly kind: 'StubsRemoved';
  readonly ids?: readonly string[];
  readonly session?: string;
  readonly file?: string;
}

/**
 * A client began a call. Unary and server-streaming calls arrive whole: `bytes` is their one message, and nothing
 * follows. The seq of this entry is the call's id.
 */
export interface CallOpened {
  readonly kind: 'CallOpened';
  /** As on the wire: `/package.Service/Method`. */
  readonly method: string;
  readonly session: string;
  readonly headers: Headers;
  /** From `grpc-timeout`. */
  readonly timeoutMs?: number;
  readonly bytes?: Uint8Array;
}

export interface MessageReceived {
  readonly kind: 'MessageReceived';
  readonly call: number;
  readonly bytes: Uint8Array;
}

export interface CallHalfClosed {
  readonly kind: 'CallHalfClosed';
  readonly call: number;
}

export interface CallCancelled {
  readonly kind: 'CallCancelled';
  readonly call: number;
  readonly reason: 'client' | 'deadline' | 'shutdown';
}

/** The transport ended a call by itself: a malformed frame, a message over the limit, bad compression. */
export interface CallAborted {
  readonly kind: 'CallAborted';
  /** Absent when the call ended before it was opened. */
  readonly call?: number;
  readonly method: string;
  readonly session: string;
  readonly headers: Headers;
  readonly code: number;
  readonly message: string;
}

// ── Outcomes: what the simulator made of it ─────────────────────────────────────────────────────────────────

export type RpcOutcome =
  | DescriptorsAccepted
  | DescriptorsRefused
  | StubsAccepted
  | StubsRefused
  | StubsDropped
  | StubMatched
  | StubExhausted
  | ReplyDelayed
  | HeadersSent
  | MessageSent
  | CallEnded
  | CallMissed
  | EffectApplied
  | EffectRefused;

export interface DescriptorsAccepted {
  readonly kind: 'DescriptorsAccepted';
  /** Names of the files that were new or changed, in order of load. */
  readonly files: readonly string[];
  readonly services: readonly string[];
}

export interface DescriptorsRefused {
  readonly kind: 'DescriptorsRefused';
  readonly violations: readonly Violation[];
}

/** The stubs of the input are in the world: `ids[k]` is the id of stub `k`. */
export interface StubsAccepted {
  readonly kind: 'StubsAccepted';
  readonly ids: readonly string[];
  /** Ids of stubs that the same file gave before and no longer gives. */
  readonly dropped: readonly string[];
  readonly warnings: readonly Violation[];
}

/** None of the stubs of the input is in the world. */
export interface StubsRefused {
  readonly kind: 'StubsRefused';
  readonly violations: readonly Violation[];
}

export interface StubsDropped {
  readonly kind: 'StubsDropped';
  readonly ids: readonly string[];
}

/** The stub answers the call; counted once per call. */
export interface StubMatched {
  readonly kind: 'StubMatched';
  readonly call: number;
  readonly stub: string;
  /** The session whose count goes up: the caller's. */
  readonly session: string;
  /** Counts from 1, per stub and calling session. */
  readonly attempt: number;
}

export interface StubExhausted {
  readonly kind: 'StubExhausted';
  readonly stub: string;
  readonly session: string;
}

/** Nothing more goes out on the call before `until` (milliseconds, as `at`). */
export interface ReplyDelayed {
  readonly kind: 'ReplyDelayed';
  readonly call: number;
  readonly until: number;
}

export interface HeadersSent {
  readonly kind: 'HeadersSent';
  readonly call: number;
  readonly headers: Headers;
}

/** `bytes` is one encoded message. */
export interface MessageSent {
  readonly kind: 'MessageSent';
  readonly call: number;
  readonly bytes: Uint8Array;
}

/** The last outcome of a call. */
export interface CallEnded {
  readonly kind: 'CallEnded';
  readonly call: number;
  /** A gRPC status code, 0 to 16. */
  readonly code: number;
  readonly message?: string;
  readonly trailers?: Headers;
}

/** No stub answers the call; `CallEnded` follows with what the client is told. */
export interface CallMissed {
  readonly kind: 'CallMissed';
  readonly call: number;
  readonly reason: 'no stub' | 'unknown method' | 'beyond the script';
}

export interface EffectApplied {
  readonly kind: 'EffectApplied';
  readonly call: number;
  readonly action: 'upsert' | 'delete';
  /** The stub that was made, replaced or deleted. */
  readonly stub: string;
  /** For `upsert`, canonical JSON: the rendered definition. */
  readonly bytes?: Uint8Array;
}

/** None of the effects of the stub was applied. */
export interface EffectRefused {
  readonly kind: 'EffectRefused';
  readonly call: number;
  readonly stub: string;
  readonly violations: readonly Violation[];
}
