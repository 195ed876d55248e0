import type { Violation } from '../../core/services/rpc/events.ts';

/** A broken rule, and for parameters where they stood. */
export interface RequestViolation extends Violation {
  readonly in?: 'body' | 'query' | 'path';
}

/** Problem details (RFC 9457), as administration answers every error. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** One of `problemKinds`, or the code of a `LogFailure`. */
  readonly code: string;
  readonly violations?: readonly RequestViolation[];
  /** Members of a kind of their own, such as `expected` and `actual`. */
  readonly [extension: string]: unknown;
}

/** Every kind of error that administration answers by itself; `docs/administration.md` lists the same. */
export const problemKinds = {
  DT_REQUEST_MALFORMED: { status: 400, title: 'The request cannot be read' },
  DT_REQUEST_INVALID: { status: 400, title: 'The request breaks a rule' },
  DT_STUB_INVALID: { status: 400, title: 'A stub breaks a rule' },
  DT_DESCRIPTORS_INVALID: { status: 400, title: 'The descriptors cannot be used' },
  DT_VERIFY_FAILED: { status: 400, title: 'Another number of calls was made' },
  DT_TOKEN_REQUIRED: { status: 401, title: 'A valid token is needed' },
  DT_ORIGIN_REFUSED: { status: 403, title: 'Web pages of other origins may not do this' },
  DT_NOT_FOUND: { status: 404, title: 'There is no such thing' },
  DT_CALL_MISSED: { status: 404, title: 'No stub answers this request' },
  DT_NOT_A_CALL: { status: 404, title: 'There is nothing to explain' },
  DT_METHOD_REFUSED: { status: 405, title: 'This path takes other methods' },
  DT_REQUEST_TIMEOUT: { status: 408, title: 'The request came too slowly' },
  DT_CLOCK_REFUSED: { status: 409, title: 'The clock cannot do this now' },
  DT_BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  DT_MEDIA_TYPE_REFUSED: { status: 415, title: 'This content type is not taken here' },
  DT_HOST_REFUSED: { status: 421, title: 'This server does not go by that name' },
  DT_HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  DT_INTERNAL: { status: 500, title: 'A mistake of ours' },
  DT_LOG_UNAVAILABLE: { status: 503, title: 'The log takes nothing in' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemKind = keyof typeof problemKinds;

/** Thrown by whatever serves a request; the client gets `problem`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  /** Headers to send along. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.problem = problem;
    this.headers = headers;
  }
}

/** The problem of a kind; `extensions` become members of it. */
export function problem(
  kind: ProblemKind,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
): Problem {
  return { type: problemType(kind), ...problemKinds[kind], detail, code: kind, ...extensions };
}

export function refusal(
  kind: ProblemKind,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
): ProblemError {
  return new ProblemError(problem(kind, detail, extensions));
}

export function problemType(code: string): string {
  return `urn:doubletake:problem:${code}`;
}
