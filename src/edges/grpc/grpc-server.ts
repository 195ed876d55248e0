import { isIPv6 } from 'node:net';
import { logVerbosity, type Server, type ServerCredentials, setLogVerbosity } from '@grpc/grpc-js';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { defaultGrpcLimits, type GrpcLimits } from './limits.ts';
import { makeStreamServer } from './stream-server.ts';
import { openSwitchboard, type Switchboard } from './switchboard.ts';
import { type GrpcTls, serverCredentials } from './tls.ts';

export type { GrpcLimits, GrpcTls };

export interface GrpcServerOptions {
  readonly simulator: Simulator;
  /** A name or an address to listen on. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Without it the server speaks plain HTTP/2. */
  readonly tls?: GrpcTls;
  /** What is not given is as in `defaultGrpcLimits`. */
  readonly limits?: Partial<GrpcLimits>;
  /** Pack replies with gzip for clients that accept it; off by default. */
  readonly packReplies?: boolean;
}

export interface GrpcServer {
  /** Host and port, as a client dials them: `127.0.0.1:4770`, `[::1]:4770`. */
  readonly address: string;
  readonly port: number;
  /**
   * Accepts nothing new, lets running calls end within `drainMs`, cancels the rest (UNAVAILABLE), and closes every
   * connection. Resolves when all of it is done. The simulator must still take inputs meanwhile.
   */
  stop(): Promise<void>;
}

// How long cancelled calls have to get their status out before their connections are cut.
const farewellMs = 1000;

/**
 * Serves gRPC calls out of a simulator. Every call becomes inputs, and what goes out is what their entries say, once
 * they are durable. Rejects when it cannot listen, with what the system said.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const limits = { ...defaultGrpcLimits, ...options.limits };
  // grpc-js would print what we report ourselves.
  setLogVerbosity(logVerbosity.NONE);
  const credentials = serverCredentials(options.tls);
  const { simulator, packReplies = false } = options;
  const switchboard = openSwitchboard({ simulator, limits, packReplies });
  const server = makeStreamServer(limits, (stream, headers, rawHeaders) => {
    switchboard.answer(stream, headers, rawHeaders);
  });
  try {
    const port = await bind(server, hostAndPort(options.host, options.port), credentials);
    const address = hostAndPort(options.host, port);
    let stopped: Promise<void> | undefined;
    return { address, port, stop: () => (stopped ??= stop(server, address, switchboard, limits.drainMs)) };
  } catch (cause) {
    switchboard.close();
    throw cause;
  }
}

function hostAndPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (cause, port) => {
      if (cause === null) resolve(port);
      else reject(new Error(`cannot listen on ${address}: ${cause.message}`, { cause }));
    });
  });
}

async function stop(
  server: Server,
  address: string,
  switchboard: Switchboard,
  drainMs: number,
): Promise<void> {
  switchboard.refuseNewCalls();
  // Tells every client to go, and cuts the connections that are left after all. (`forceShutdown` would not: without
  // channelz it does not know the connections.)
  server.drain(address, drainMs + farewellMs);
  const gone = new Promise<'gone'>((resolve) => {
    server.tryShutdown(() => resolve('gone'));
  });
  if ((await Promise.race([gone, elapsed(drainMs)])) !== 'gone') {
    switchboard.shutDownCalls();
    await Promise.race([gone, elapsed(2 * farewellMs)]);
  }
  switchboard.close();
}

function elapsed(ms: number): Promise<'elapsed'> {
  return new Promise((resolve) => {
    setTimeout(() => resolve('elapsed'), ms).unref();
  });
}
