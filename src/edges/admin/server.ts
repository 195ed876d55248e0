import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { sessionNameMax, sessionNamed } from '../../core/simulator/session.ts';
import { callHistory } from './call-history.ts';
import { answerClientError, answerError, mediaTypeRule } from './errors.ts';
import { guardFor, isLoopback, type Guard } from './guard.ts';
import { adminLimits, type AdminLimits } from './limits.ts';
import { describeRoutes } from './openapi.ts';
import {
  descriptorSetTypes,
  jsonTypes,
  parseBody,
  protoSourceTypes,
  yamlTypes,
  type ReadYaml,
} from './payload.ts';
import { ProblemError, problem, refusal } from './problem.ts';
import type { AdminContext, AdminRequest, AdminRoute, CompileProto } from './route.ts';
import { adminRoutes, openPaths } from './routes/all-routes.ts';
import { bodyCheck, parameterCheck, type Check } from './validation.ts';

export interface AdminServerOptions {
  readonly simulator: Simulator;
  /** Off loopback, `token` is needed. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Asked for on every request but the health ones, as `Authorization: Bearer …`. */
  readonly token?: string;
  /** More names under which clients reach this port, such as a proxy's; without ports. */
  readonly allowedHosts?: readonly string[];
  /** Without it, only descriptor sets are taken. */
  readonly compileProto?: CompileProto;
  /** Without it, only JSON is taken. */
  readonly readYaml?: ReadYaml;
  /** What readiness says besides the log; always true when absent. */
  readonly isReady?: () => boolean;
  /** Hears of mistakes of ours: a client is told only that there was one. */
  readonly onUnforeseen?: (error: unknown) => void;
  readonly limits?: Partial<AdminLimits>;
}

export interface AdminServer {
  /** Such as `http://127.0.0.1:4771`, without a slash at the end. */
  readonly url: string;
  /** Takes no new requests, answers those that are in, and closes. Stop it before its simulator. */
  stop(): Promise<void>;
}

/** Administration would be open to the network. */
export class AdminUnprotected extends Error {
  override readonly name = 'AdminUnprotected';
  readonly code = 'DT_ADMIN_UNPROTECTED';
}

/**
 * Starts administration. Rejects with `AdminUnprotected` when `host` is not loopback and there is no token, and with the
 * system's error when the address cannot be bound.
 */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { host, port, token, simulator } = options;
  if (!isLoopback(host) && (token ?? '') === '') {
    throw new AdminUnprotected(
      `administration on ${host} needs a token: any machine that reaches it could change the stubs`,
    );
  }
  const limits = { ...adminLimits, ...options.limits };
  const servers: Server[] = [];
  let description: Promise<unknown> | undefined;
  const app = transport(limits, servers, options.onUnforeseen ?? (() => undefined));
  const context: AdminContext = {
    simulator,
    limits,
    history: callHistory(simulator, { callsMax: limits.historyCallsMax, bytesMax: limits.historyBytesMax }),
    compileProto: options.compileProto,
    isReady: options.isReady ?? (() => true),
    description: () => (description ??= describeRoutes(adminRoutes)),
  };
  addGuards(
    app,
    guardFor({ host, token: token === '' ? undefined : token, allowedHosts: options.allowedHosts ?? [] }),
  );
  addBodyParsers(app, options.readYaml);
  for (const route of adminRoutes) addRoute(app, route, context);
  await app.listen({ host, port });
  return { url: urlOf(host, app.server.address()), stop: () => stop(app, servers, limits.drainMs) };
}

function transport(
  limits: AdminLimits,
  servers: Server[],
  onUnforeseen: (error: unknown) => void,
): FastifyInstance {
  const app = fastify({
    serverFactory(listener) {
      const server = boundedServer(limits, listener);
      servers.push(server);
      return server;
    },
    exposeHeadRoutes: false,
    bodyLimit: limits.controlBodyBytesMax,
    routerOptions: { maxParamLength: 1_000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply, onUnforeseen),
  });
  // Routes are registered without their schemas: requests are checked and answers written here. Fastify would coerce what
  // comes, and drop from an answer what its schema does not name.
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, onUnforeseen));
  app.setNotFoundHandler((request) => {
    throw noSuchRoute(request);
  });
  // Nobody gives a reason for deleting; a body that comes all the same is not read.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  return app;
}

function boundedServer(limits: AdminLimits, listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    listener,
  );
  server.maxConnections = limits.connectionsMax;
  server.maxHeadersCount = 0;
  server.setTimeout(limits.silentMs);
  return server;
}

const answerHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function addGuards(app: FastifyInstance, guard: Guard): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(answerHeaders);
    try {
      guard.check(request.headers, openPaths.has(request.routeOptions.url ?? ''));
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function addBodyParsers(app: FastifyInstance, readYaml: ReadYaml | undefined): void {
  app.removeAllContentTypeParsers();
  const types = [...jsonTypes, ...yamlTypes, ...descriptorSetTypes, ...protoSourceTypes];
  app.addContentTypeParser(types, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      // `parseAs` says that it is a buffer.
      done(null, parseBody(mediaTypeOf(request), body as Buffer, readYaml));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
}

function mediaTypeOf({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function addRoute(app: FastifyInstance, route: AdminRoute, context: AdminContext): void {
  const { body } = route;
  const checks: Checks = {
    query: parameterCheck('query', route.query ?? {}),
    params: parameterCheck('path', route.params ?? {}),
    body: body === undefined || body.checkedElsewhere === true ? (value) => value : bodyCheck(body.schema),
  };
  const mediaTypes = body === undefined ? undefined : (body.mediaTypes ?? jsonTypes);
  app.route({
    method: route.method,
    url: route.path,
    config: mediaTypes === undefined ? {} : { mediaTypes },
    ...(body?.large === true && { bodyLimit: context.limits.adminBodyBytesMax }),
    async handler(request, reply) {
      if (mediaTypes !== undefined) checkMediaType(request, mediaTypes);
      const answer = await route.serve(readRequest(request, checks), context);
      return send(reply.code(answer.status).headers(answer.headers ?? {}), answer.body);
    },
  });
}

interface Checks {
  readonly query: Check;
  readonly params: Check;
  readonly body: Check;
}

function checkMediaType(request: FastifyRequest, mediaTypes: readonly string[]): void {
  if (request.body !== undefined && !mediaTypes.includes(mediaTypeOf(request))) {
    throw refusal('DT_MEDIA_TYPE_REFUSED', mediaTypeRule(request));
  }
}

function readRequest(request: FastifyRequest, checks: Checks): AdminRequest<unknown, unknown, unknown> {
  const session = sessionNamed((header) => oneValue(request.headers[header]));
  if (session.length > sessionNameMax) {
    throw refusal('DT_REQUEST_INVALID', `expected a session of at most ${sessionNameMax} characters`);
  }
  return {
    query: checks.query(request.query),
    params: checks.params(request.params),
    body: checks.body(request.body),
    session,
    mediaType: mediaTypeOf(request),
  };
}

function oneValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Writes JSON, of a text or a number too, which Fastify by itself would send as it is. */
function send(reply: FastifyReply, body: unknown): FastifyReply {
  if (body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function noSuchRoute({ method, url }: FastifyRequest): ProblemError {
  const path = url.split('?', 1)[0] ?? '';
  const allowed = adminRoutes
    .filter((route) => pathPattern(route.path).test(path))
    .map((route) => route.method);
  if (allowed.length === 0)
    return refusal('DT_NOT_FOUND', `there is no ${method} ${path}; see /api/openapi.json`);
  const allow = [...new Set(allowed)].sort().join(', ');
  return new ProblemError(problem('DT_METHOD_REFUSED', `${path} takes ${allow}`), { allow });
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
}

async function stop(app: FastifyInstance, servers: readonly Server[], drainMs: number): Promise<void> {
  const deadline = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
