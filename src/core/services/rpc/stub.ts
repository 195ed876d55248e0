import type { Json, JsonObject } from '../../kernel/json.ts';

/**
 * A stub as its author wrote it, after validation against `schemas/stub.schema.json`. Field by field it is the
 * stub definition of the specification; `null` matchers stand for "matches anything".
 */
export interface StubDefinition {
  readonly id?: string;
  readonly service: string;
  readonly method: string;
  readonly priority?: number;
  readonly input?: InputMatcher;
  readonly inputs?: readonly InputMatcher[];
  readonly headers?: HeaderMatcher;
  readonly options?: { readonly times?: number };
  readonly output: Output;
  readonly effects?: readonly Effect[];
  readonly session?: string;
}

/** Rules on one message: all keys must hold. */
export interface InputMatcher extends InputRules {
  readonly anyOf?: readonly InputRules[] | null;
}

export interface InputRules {
  readonly ignoreArrayOrder?: boolean;
  readonly equals?: JsonObject | null;
  readonly contains?: JsonObject | null;
  readonly matches?: JsonObject | null;
  readonly glob?: JsonObject | null;
}

/** Rules on request headers: all keys must hold; names in any case. */
export interface HeaderMatcher extends HeaderRules {
  readonly anyOf?: readonly HeaderRules[] | null;
}

export interface HeaderRules {
  readonly equals?: HeaderPatterns | null;
  readonly contains?: HeaderPatterns | null;
  readonly matches?: HeaderPatterns | null;
  readonly glob?: HeaderPatterns | null;
}

export interface HeaderPatterns {
  readonly [name: string]: string;
}

export interface Output {
  readonly data?: Json;
  readonly stream?: readonly Json[];
  readonly error?: string;
  /** A gRPC status code, 0 to 16. */
  readonly code?: number;
  readonly details?: readonly (JsonObject & { readonly type: string })[];
  /** Number and unit groups, such as `1m2.5s`; see `parseDurationMs`. */
  readonly delay?: string;
  readonly headers?: HeaderPatterns;
  /** Only with the `gripmock` compatibility. */
  readonly trailers?: HeaderPatterns;
}

export type Effect =
  | { readonly action: 'upsert'; readonly stub: JsonObject }
  | { readonly action: 'delete'; readonly id: string };

/** A stub in the world. */
export interface Stub {
  readonly id: string;
  /** The session that sees it; empty is everyone. */
  readonly session: string;
  /** Its place among all stubs, by first load of its id; unique. */
  readonly order: number;
  /** The file or the call that it came from, for people. */
  readonly source: StubSource;
  readonly definition: StubDefinition;
}

export interface StubSource {
  /** `file`: loaded from `file`; `api`: over administration; `effect`: made by the stub `by`. */
  readonly from: 'file' | 'api' | 'effect';
  readonly file?: string;
  /** Counts from 1. */
  readonly line?: number;
  readonly by?: string;
}
