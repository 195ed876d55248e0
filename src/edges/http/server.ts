import { createServer, METHODS, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { sessionNameMax } from '../../core/simulator/session.ts';
import { readBody } from './body.ts';
import { httpLimits, type HttpLimits } from './limits.ts';
import { refuse, refuseConnection } from './refusal.ts';
import { repliesFrom, stopping, type Replies } from './replies.ts';
import { addressOf, inputOf } from './request.ts';

export interface HttpServerOptions {
  readonly simulator: Simulator;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpServer {
  /** Such as `http://127.0.0.1:4772`, without a slash at the end. */
  readonly url: string;
  /** Takes no new requests, answers those that are in, and closes. Stop it before its simulator. */
  stop(): Promise<void>;
}

/**
 * Starts the port of the simulated HTTP APIs. Every request, whatever its method and target, becomes one input; the
 * routing tables are in core. Rejects when the address cannot be bound.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...httpLimits, ...options.limits };
  const replies = repliesFrom(options.simulator, limits.unreadReplyMs);
  const servers: Server[] = [];
  const app = transport((listener) => {
    const server = boundedServer(limits, listener);
    servers.push(server);
    return server;
  });
  catchAll(app, (request, reply) => receive(request, reply, options.simulator, replies, limits));
  await app.listen({ host: options.host, port: options.port });
  return {
    url: urlOf(options.host, app.server.address()),
    stop: () => stop(app, servers, replies, limits.drainMs),
  };
}

function transport(serverFactory: (listener: RequestListener) => Server): FastifyInstance {
  return fastify({
    serverFactory,
    exposeHeadRoutes: false,
    genReqId: () => '',
    // There is one route, and it never looks at the target: not even a malformed one is Fastify's to refuse.
    rewriteUrl: () => '/',
    clientErrorHandler: refuseConnection,
  });
}

function catchAll(
  app: FastifyInstance,
  handler: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  // Node gives CONNECT to another event, and ends the connection when nobody listens to it.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  // "No body" tells Fastify to keep its hands off: bodies of any method and type are read here, undecoded.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.route({ method: methods, url: '/', handler });
}

function boundedServer(limits: HttpLimits, listener: RequestListener): Server {
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
  // By default Node drops headers past the 2,000th without a word; the limit in bytes is enough.
  server.maxHeadersCount = 0;
  return server;
}

function receive(
  { raw, originalUrl }: FastifyRequest,
  reply: FastifyReply,
  simulator: Simulator,
  replies: Replies,
  limits: HttpLimits,
): void {
  reply.hijack();
  const response = reply.raw;
  const address = addressOf(originalUrl, raw.headers);
  if (address === undefined) {
    refuse(response, { status: 400, code: 'DT_SESSION_INVALID', detail: sessionRule });
    return;
  }
  readBody(raw, limits.bodyBytesMax, (body) => {
    if (body.kind === 'broken') response.destroy();
    else if (body.kind === 'too large') refuse(response, tooLarge(limits.bodyBytesMax));
    else {
      simulator.submit(inputOf(raw, address, body.bytes), (settlement) => {
        if (settlement.ok) replies.answer(response, settlement.entry);
        else
          refuse(response, {
            status: 503,
            code: settlement.failure.code,
            detail: settlement.failure.message,
          });
      });
    }
  });
}

const sessionRule = `expected the name of a session to have 1 to ${sessionNameMax} characters, percent-encoded in a path`;

function tooLarge(bytesMax: number): { status: number; code: string; detail: string } {
  return {
    status: 413,
    code: 'DT_BODY_TOO_LARGE',
    detail: `the body is over bodyBytesMax, ${bytesMax} bytes`,
  };
}

async function stop(
  app: FastifyInstance,
  servers: Server[],
  replies: Replies,
  drainMs: number,
): Promise<void> {
  replies.end(stopping);
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
