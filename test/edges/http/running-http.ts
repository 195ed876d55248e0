import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { startHttpServer, type HttpServerOptions } from '../../../src/edges/http/server.ts';
import type { Simulator } from '../../../src/core/simulator/simulator.ts';
import { simulate } from '../../support/simulate.ts';

export interface RunningHttp {
  readonly simulator: Simulator;
  readonly url: URL;
  readonly server: { stop(): Promise<void> };
}

/** A port on loopback that is stopped when the test ends. */
export async function runHttp(
  options: Partial<HttpServerOptions> & { readonly simulator?: Simulator } = {},
): Promise<RunningHttp> {
  const simulator = options.simulator ?? (await simulate());
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, ...options, simulator });
  onTestFinished(() => server.stop());
  return { simulator, url: new URL(server.url), server };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

export function ask(
  url: URL,
  method: string,
  target: string,
  options: { readonly headers?: readonly string[]; readonly body?: Uint8Array | string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname: url.hostname,
      port: url.port,
      method,
      path: target,
      headers: ['host', url.host, ...(options.headers ?? [])],
      agent: false,
    });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.end(options.body);
  });
}

/** A connection on which the test says every byte itself. */
export async function connectTo(url: URL): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** All that comes on a connection until the other side closes it. */
export async function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is a way of closing, too.
  socket.on('error', () => undefined);
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}
