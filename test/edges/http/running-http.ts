import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
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
