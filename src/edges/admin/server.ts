import type { Simulator } from '../../core/simulator/simulator.ts';

export interface AdminServerOptions {
  readonly simulator: Simulator;
  /** Off loopback, `token` is needed. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Asked for on every request but the health ones, as `Authorization: Bearer …`. */
  readonly token?: string;
  /** More names under which browsers and clients reach this port, such as a proxy's; without ports. */
  readonly allowedHosts?: readonly string[];
  /** Turns `.proto` sources into an encoded `FileDescriptorSet`, imports first. Throws an `Error` that says where. */
  readonly compileProto?: (source: string, fileName: string) => Uint8Array;
}

export interface AdminServer {
  /** Such as `http://127.0.0.1:4771`, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  return Promise.reject(new Error(`not yet on ${options.host}`));
}
