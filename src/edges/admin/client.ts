import type { Problem } from './problem.ts';

/** Speaks to the administration of a running Doubletake. */
export interface AdminClient {
  readonly url: string;
  /** The answer's JSON. Rejects with an `AdminUnreachable` or an `AdminRefusal`. */
  request<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T>;
}

export interface AdminClientOptions {
  /** Such as `http://127.0.0.1:4771`. */
  readonly url: string;
  readonly token?: string;
  readonly session?: string;
}

/** Nothing answers at the address, or what answers is no Doubletake. */
export class AdminUnreachable extends Error {
  override readonly name = 'AdminUnreachable';
  readonly code = 'DT_ADMIN_UNREACHABLE';
}

/** It answered with a problem (RFC 9457). */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  readonly code = 'DT_ADMIN_REFUSED';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail === '' ? problem.title : problem.detail);
    this.problem = problem;
  }
}

const requestMs = 60_000;

export function createAdminClient(options: AdminClientOptions): AdminClient {
  const url = options.url.replace(/\/+$/, '');
  const headers = {
    accept: 'application/json',
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(options.session === undefined ? {} : { 'x-doubletake-session': options.session }),
  };
  return {
    url,
    request: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await answerOf(`${url}${path}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(requestMs),
      });
      // The caller knows what the route that it names answers.
      return (await contentOf(response, url)) as T;
    },
  };
}

async function answerOf(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AdminUnreachable(`nothing answers at ${url}: ${reason}`, { cause: error });
  }
}

async function contentOf(response: Response, url: string): Promise<unknown> {
  const text = await response.text();
  const json = text === '' ? undefined : parsed(text);
  if (response.ok && (text === '' || json !== undefined)) return json;
  if (isProblem(json)) throw new AdminRefusal(json);
  throw new AdminUnreachable(
    `what answers at ${url} is not a Doubletake: ${response.status} ${response.statusText}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' && value !== null && 'title' in value && 'detail' in value && 'status' in value
  );
}
