import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, onTestFinished } from 'vitest';
import type { Simulator } from '../../../src/core/simulator/simulator.ts';
import { problemsOf } from '../../../src/edges/admin/description.ts';
import { namedSchemas } from '../../../src/edges/admin/openapi.ts';
import { problemKinds } from '../../../src/edges/admin/problem.ts';
import type { AdminRoute, Schema } from '../../../src/edges/admin/route.ts';
import { adminRoutes } from '../../../src/edges/admin/routes/all-routes.ts';
import { startAdminServer, type AdminServerOptions } from '../../../src/edges/admin/server.ts';
import { readStubYaml } from '../../../src/edges/files/stub-yaml.ts';
import type { StubDefinition } from '../../../src/core/services/rpc/stub.ts';
import { simulate } from '../../support/simulate.ts';

export interface Asking {
  readonly body?: unknown;
  /** Bytes instead of JSON; with a content type of their own in `headers`. */
  readonly bytes?: Uint8Array | string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** From JSON; `undefined` when there is no body. */
  readonly body: never;
}

export interface RunningAdmin {
  readonly simulator: Simulator;
  readonly url: URL;
  readonly server: { stop(): Promise<void> };
  /** Sends a request, and holds the reply to what the OpenAPI description says of it. */
  readonly ask: (method: string, target: string, asking?: Asking) => Promise<Reply>;
}

/** Administration on loopback that is stopped when the test ends. */
export async function runAdmin(
  options: Partial<AdminServerOptions> & {
    readonly simulator?: Simulator;
    readonly stubs?: readonly Partial<StubDefinition>[];
  } = {},
): Promise<RunningAdmin> {
  const { stubs = [], ...rest } = options;
  const simulator = options.simulator ?? (await simulate(stubs));
  const mistakes: unknown[] = [];
  const server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    readYaml: readStubYaml,
    onUnforeseen: (error) => mistakes.push(error),
    ...rest,
    simulator,
  });
  onTestFinished(() => server.stop());
  const url = new URL(server.url);
  return {
    simulator,
    url,
    server,
    async ask(method, target, asking = {}) {
      const reply = await send(url, method, target, asking);
      if (mistakes.length > 0) throw mistakes[0];
      holdToDescription(method, target, reply);
      return reply;
    },
  };
}

function send(
  url: URL,
  method: string,
  target: string,
  { body, bytes, session, headers = {} }: Asking,
): Promise<Reply> {
  const payload = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname: url.hostname,
      port: url.port,
      method,
      path: target,
      agent: false,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(session !== undefined && { 'x-doubletake-session': session }),
        ...headers,
      },
    });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          // Tests say themselves what they expect of it.
          body: (text === '' ? undefined : JSON.parse(text)) as never,
        });
      });
    });
    request.end(payload);
  });
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
for (const schema of namedSchemas) ajv.addSchema(schema);
const validators = new Map<Schema, ValidateFunction>();

function holdToDescription(method: string, target: string, reply: Reply): void {
  const route = routeOf(method, target);
  if (reply.status >= 400) {
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expectToFit({ $ref: 'Problem#' }, reply.body);
    const { status, code } = reply.body as { status: number; code: string };
    expect(status).toBe(reply.status);
    if (route !== undefined) expectToBeDescribed(route, reply.status, code);
  } else if (route !== undefined) {
    expect(reply.status).toBe(route.ok.status);
    if (route.ok.schema === undefined) expect(reply.body).toBeUndefined();
    else expectToFit(route.ok.schema, reply.body);
  }
}

function expectToBeDescribed(route: AdminRoute, status: number, code: string): void {
  const kinds = problemsOf(route);
  expect(kinds.map((kind) => problemKinds[kind].status)).toContain(status);
  if (!code.startsWith('DT_LOG_')) expect(kinds).toContain(code);
}

function expectToFit(schema: Schema, value: unknown): void {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  const errors = validate(value) ? [] : validate.errors;
  expect({ value, errors }).toEqual({ value, errors: [] });
}

/** Paths without parameters come before those with. */
function routeOf(method: string, target: string): AdminRoute | undefined {
  const path = target.split('?', 1)[0] ?? '';
  const fitting = adminRoutes.filter(
    (route) => route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  );
  return fitting.find((route) => route.path === path) ?? fitting[0];
}

export const sayStub = { service: 'talk.v1.Talk', method: 'Say', output: { data: { text: 'hello' } } };
export const ids = [
  '6d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b10',
  '7d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b11',
  '8d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b12',
] as const;
