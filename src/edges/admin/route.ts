import type { Descriptors } from '../../core/services/rpc/descriptors.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import type { CallHistory } from './call-history.ts';
import type { AdminLimits } from './limits.ts';
import type { ProblemKind } from './problem.ts';

/** A JSON schema, 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Turns the text of a `.proto` file, whose imports are known, into an encoded `FileDescriptorSet`. Throws an `Error`
 * that says where it cannot.
 */
export type CompileProto = (source: string, fileName: string, known: Descriptors) => Uint8Array;

/** What serves requests works with. */
export interface AdminContext {
  readonly simulator: Simulator;
  readonly history: CallHistory;
  readonly limits: AdminLimits;
  readonly compileProto: CompileProto | undefined;
  /** False while the process still starts, or stops. */
  readonly isReady: () => boolean;
  /** The OpenAPI description of this server. */
  readonly description: () => Promise<unknown>;
}

export interface AdminRequest<Query, Params, Body> {
  readonly query: Query;
  readonly params: Params;
  readonly body: Body;
  /** The session that the headers name; empty is none. */
  readonly session: string;
  /** Without parameters, lower case; empty without a body. */
  readonly mediaType: string;
}

export interface Answer {
  readonly status: 200 | 204;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: unknown;
}

/** A route: all that the server and the OpenAPI description need to know of it, and what it does. */
export interface AdminRoute<Query = unknown, Params = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As Fastify spells it: `/api/stubs/:id`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly params?: Readonly<Record<string, Schema>>;
  readonly body?: RequestBody;
  readonly ok: Success;
  /** What it refuses beyond what every route refuses. */
  readonly problems?: readonly ProblemKind[];
  serve(request: AdminRequest<Query, Params, Body>, context: AdminContext): Answer | Promise<Answer>;
}

export interface RequestBody {
  /** The media types it takes; `application/json` when absent. */
  readonly mediaTypes?: readonly string[];
  readonly schema: Schema;
  readonly example?: unknown;
  /** True where something else checks the body, and the schema only describes it. */
  readonly checkedElsewhere?: boolean;
  /** Takes bodies up to `adminBodyBytesMax` instead of `controlBodyBytesMax`. */
  readonly large?: boolean;
}

export interface Success {
  readonly status: 200 | 204;
  readonly description: string;
  readonly schema?: Schema;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly example?: unknown;
}

/** Forgets the types of what a route receives, so that routes fit into one list. */
export function route<Query, Params, Body>(definition: AdminRoute<Query, Params, Body>): AdminRoute {
  // Sound because the server checks query, params and body against the route's own schemas before it calls `serve`.
  return definition;
}

/** The header that names the entry which a changing request became. */
export const entryHeader = 'x-doubletake-entry';

export function entryHeaders(entry: LogEntry): Readonly<Record<string, string>> {
  return { [entryHeader]: String(entry.seq) };
}
