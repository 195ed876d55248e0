import { readFileSync } from 'node:fs';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { isLoopback } from '../../edges/admin/guard.ts';
import { startAdminServer } from '../../edges/admin/server.ts';
import { compileProto } from '../../edges/files/proto-text.ts';
import { readStubYaml } from '../../edges/files/stub-yaml.ts';
import { startGrpcServer, type GrpcTls } from '../../edges/grpc/grpc-server.ts';
import { startHttpServer } from '../../edges/http/server.ts';
import { CommandFailure, usageFailure } from '../command-failure.ts';
import { limitsFrom } from './limits.ts';
import type { ServeOptions } from './options.ts';

/** Where everything listens, as the ready line says it. */
export interface Servers {
  /** `127.0.0.1:4770` */
  readonly grpc: string;
  /** `http://127.0.0.1:4771` */
  readonly admin: string;
  readonly http: string;
  /** Lets what is under way end, within limits, and closes every socket. */
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** Starts all three, or none: when one cannot listen, the others are stopped again. */
export async function startServers(options: ServeOptions, simulator: Simulator): Promise<Servers> {
  const { host } = options;
  const tls = tlsFrom(options);
  const limits = limitsFrom(options.limit ?? []);
  const started = await Promise.allSettled([
    listening('--grpc-port', options.grpcPort, host, () =>
      startGrpcServer({
        simulator,
        host,
        port: options.grpcPort,
        limits: { drainMs: options.drain, ...limits.grpc },
        packReplies: options.gzip === true,
        ...(tls === undefined ? {} : { tls }),
      }),
    ),
    listening('--admin-port', options.adminPort, host, () =>
      startAdminServer({
        simulator,
        host,
        port: options.adminPort,
        readYaml: readStubYaml,
        compileProto,
        limits: limits.admin,
        ...(options.adminToken === undefined ? {} : { token: options.adminToken }),
      }),
    ),
    listening('--http-port', options.httpPort, host, () =>
      startHttpServer({ simulator, host, port: options.httpPort, limits: limits.http }),
    ),
  ]);
  const [grpc, admin, http] = started;
  if (grpc.status === 'fulfilled' && admin.status === 'fulfilled' && http.status === 'fulfilled') {
    return {
      grpc: grpc.value.address,
      admin: admin.value.url,
      http: http.value.url,
      stop: () => stopAll([grpc.value, admin.value, http.value]),
    };
  }
  await stopAll(started.flatMap((server) => (server.status === 'fulfilled' ? [server.value] : [])));
  throw started.find((server) => server.status === 'rejected')?.reason;
}

async function stopAll(servers: readonly Stoppable[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

async function listening<T>(option: string, port: number, host: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    const message = messagesOf(cause);
    if (message.includes('EADDRINUSE')) {
      throw new CommandFailure(`port ${port} on ${host} is taken`, {
        code: 'DT_PORT_IN_USE',
        hint: `${option} 0 picks a free one.`,
        cause,
      });
    }
    throw new CommandFailure(`cannot listen on ${host}, ${option} ${port}: ${message}`, {
      code: 'DT_LISTEN_FAILED',
      cause,
    });
  }
}

function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${messagesOf(error.cause)}`;
}

function tlsFrom({ tlsCert, tlsKey, tlsCa }: ServeOptions): GrpcTls | undefined {
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw usageFailure(
      'TLS needs both --tls-cert and --tls-key',
      'Give the certificate chain and its key as PEM files.',
    );
  }
  return {
    cert: pem(tlsCert, '--tls-cert'),
    key: pem(tlsKey, '--tls-key'),
    ...(tlsCa === undefined ? {} : { ca: pem(tlsCa, '--tls-ca'), requireClientCertificate: true }),
  };
}

function pem(file: string, option: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`${option} cannot be read: ${reason}`, { code: 'DT_LISTEN_FAILED', cause });
  }
}

/** Administration can read and change everything: off loopback it needs a token. Said before anything is read. */
export function refuseOpenAdministration(host: string, token: string | undefined): void {
  if (isLoopback(host) || (token !== undefined && token !== '')) return;
  throw new CommandFailure(`administration on ${host} would be open to the network without a token`, {
    code: 'DT_ADMIN_UNPROTECTED',
  });
}
