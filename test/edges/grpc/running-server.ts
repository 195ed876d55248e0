import { onTestFinished } from 'vitest';
import {
  type GrpcServer,
  type GrpcServerOptions,
  startGrpcServer,
} from '../../../src/edges/grpc/grpc-server.ts';
import type { Simulator } from '../../../src/core/simulator/simulator.ts';
import type { Client } from '@grpc/grpc-js';
import type { ClientHttp2Session } from 'node:http2';
import { grpcClient, http2Client } from './clients.ts';

export interface Running {
  readonly server: GrpcServer;
  /** A gRPC client, closed with the test. */
  readonly client: () => Client;
  /** A plain HTTP/2 connection, closed with the test. */
  readonly raw: () => Promise<ClientHttp2Session>;
}

/** Starts a server for the test that runs, and stops it afterwards. */
export async function serve(
  simulator: Simulator,
  options: Omit<Partial<GrpcServerOptions>, 'simulator'> = {},
): Promise<Running> {
  const limits = { drainMs: 0, ...options.limits };
  const server = await startGrpcServer({ simulator, host: '127.0.0.1', port: 0, ...options, limits });
  onTestFinished(() => server.stop());
  return {
    server,
    client() {
      const client = grpcClient(server.address);
      onTestFinished(() => client.close());
      return client;
    },
    async raw() {
      const session = await http2Client(server.address);
      onTestFinished(() => session.destroy());
      return session;
    },
  };
}
