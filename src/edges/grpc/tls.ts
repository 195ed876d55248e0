import { ServerCredentials } from '@grpc/grpc-js';

/** PEM, as text or bytes. */
export interface GrpcTls {
  /** The server's certificate, and any between it and the root. */
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
  /** What clients' certificates are checked with; the system's own when absent. */
  readonly ca?: string | Uint8Array;
  /** Mutual TLS: a client without a certificate that `ca` vouches for is not let in. */
  readonly requireClientCertificate?: boolean;
}

/** Throws for a key or certificate that cannot be read, or that do not belong together. */
export function serverCredentials(tls: GrpcTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const ca = tls.ca === undefined ? null : Buffer.from(tls.ca);
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  return ServerCredentials.createSsl(ca, [pair], tls.requireClientCertificate ?? false);
}
