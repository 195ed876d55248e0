import { constants, gunzip, gzipSync, inflate } from 'node:zlib';
import { statusCodes } from '../../core/services/rpc/status-codes.ts';
import { TransportFault } from './transport-fault.ts';

/** The encodings that `unpack` knows; `grpc-accept-encoding` of every reply. */
export const acceptedEncodings = 'identity,deflate,gzip';

/** Shorter messages only grow. */
const packedBytesMin = 1024;

/**
 * Unpacks a message that came with the compressed flag, and calls `done` later. A message that unpacks to more than
 * `bytesMax` is given up as soon as it does: the limit is on what is unpacked, so a small bomb stays small.
 */
export function unpack(
  bytes: Uint8Array,
  encoding: string | undefined,
  bytesMax: number,
  done: (result: Uint8Array | TransportFault) => void,
): void {
  const unpacker = encoding === 'gzip' ? gunzip : encoding === 'deflate' ? inflate : undefined;
  if (unpacker === undefined) {
    const fault = cannotUnpack(encoding);
    setImmediate(() => done(fault));
    return;
  }
  // `maxOutputLength` must be at least 1; an empty message is still within a limit of 0.
  unpacker(bytes, { maxOutputLength: Math.max(1, bytesMax) }, (error, unpacked) => {
    done(error === null ? new Uint8Array(unpacked) : unpackFault(error, bytesMax));
  });
}

function cannotUnpack(encoding: string | undefined): TransportFault {
  if (encoding === undefined || encoding === 'identity') {
    return new TransportFault(
      statusCodes.INTERNAL,
      'a message is flagged as compressed, and grpc-encoding names no compression',
    );
  }
  return new TransportFault(
    statusCodes.UNIMPLEMENTED,
    `messages packed with ${JSON.stringify(encoding.slice(0, 40))} cannot be read; accepted are ${acceptedEncodings}`,
  );
}

function unpackFault(error: NodeJS.ErrnoException, bytesMax: number): TransportFault {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') {
    return new TransportFault(
      statusCodes.RESOURCE_EXHAUSTED,
      `received a message that unpacks to more than the ${bytesMax} bytes of messageReceiveBytesMax`,
    );
  }
  return new TransportFault(statusCodes.INTERNAL, 'received a compressed message that cannot be unpacked');
}

/** `undefined` when packing is not worth it. The fastest level: this is a test server, often on the same machine. */
export function pack(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < packedBytesMin) return undefined;
  const packed = gzipSync(bytes, { level: constants.Z_BEST_SPEED });
  return packed.length < bytes.length ? packed : undefined;
}
