import { statusCodes } from '../../core/services/rpc/status-codes.ts';
import { TransportFault } from './transport-fault.ts';

// A message on the wire (gRPC over HTTP/2, "Length-Prefixed-Message"):
//
//     flag   length (big-endian)    message
//     ┌────┬────┬────┬────┬────┬──────────────┐
//     │ 0/1│                   │  length bytes│
//     └────┴────┴────┴────┴────┴──────────────┘

const prefixBytes = 5;

export interface Frame {
  readonly compressed: boolean;
  /** A copy: pieces of the socket's large buffer must not stay alive for a few bytes. */
  readonly bytes: Uint8Array;
}

/** Puts messages together from the pieces in which they arrive. */
export class FrameReader {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Something of a message has come, but not all of it. */
  get partial(): boolean {
    return this.#length > 0;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The next whole message, if there is one. Throws a `TransportFault` as soon as its prefix is not acceptable. */
  next(): Frame | undefined {
    if (this.#length < prefixBytes) return undefined;
    const first = this.#firstChunk(prefixBytes);
    const flag = first[0] ?? 0;
    const size = first.readUInt32BE(1);
    refusePrefix(flag, size, this.#bytesMax);
    if (this.#length < prefixBytes + size) return undefined;
    return { compressed: flag === 1, bytes: this.#take(size) };
  }

  /** The first chunk, made at least `size` long. */
  #firstChunk(size: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= size) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  #take(size: number): Uint8Array {
    const bytes = new Uint8Array(size);
    let skipped = prefixBytes;
    let filled = 0;
    let used = 0;
    while (filled < size || skipped > 0) {
      const chunk = this.#chunks[used];
      if (chunk === undefined) break;
      const part = chunk.subarray(skipped, skipped + size - filled);
      bytes.set(part, filled);
      filled += part.length;
      const end = skipped + part.length;
      skipped = 0;
      if (end < chunk.length) {
        this.#chunks[used] = chunk.subarray(end);
        break;
      }
      used += 1;
    }
    this.#chunks.splice(0, used);
    this.#length -= prefixBytes + size;
    return bytes;
  }
}

function refusePrefix(flag: number, size: number, bytesMax: number): void {
  if (flag > 1) {
    throw new TransportFault(
      statusCodes.INTERNAL,
      `a message must begin with the compressed flag 0 or 1, got ${flag}`,
    );
  }
  if (size > bytesMax) {
    throw new TransportFault(
      statusCodes.RESOURCE_EXHAUSTED,
      `received a message of ${size} bytes, larger than the ${bytesMax} of messageReceiveBytesMax`,
    );
  }
}

/** One message, ready for the wire. */
export function frameMessage(bytes: Uint8Array, compressed: boolean): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + bytes.length);
  frame[0] = compressed ? 1 : 0;
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, prefixBytes);
  return frame;
}
