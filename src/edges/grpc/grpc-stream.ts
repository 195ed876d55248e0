import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Headers } from '../../core/services/rpc/events.ts';
import { pack, unpack } from './compression.ts';
import { frameMessage, FrameReader } from './frames.ts';
import type { GrpcLimits } from './limits.ts';
import {
  addHeaders,
  packedReplyHeaders,
  plainReplyHeaders,
  statusHeaders,
  statusOnlyHeaders,
} from './reply-headers.ts';
import { statusCodes } from '../../core/services/rpc/status-codes.ts';
import { TransportFault } from './transport-fault.ts';

/** What a stream tells whoever answers the call. After `closed` it says nothing more. */
export interface GrpcStreamListener {
  message(bytes: Uint8Array): void;
  /** The client will send no more, and everything that it sent has been told. */
  halfClosed(): void;
  /** The request cannot be read any further; nothing more of it is told. The stream still takes an end. */
  broken(fault: TransportFault): void;
  /** The client does not read, and too much waits for it; nothing more can be sent. */
  overflowed(fault: TransportFault): void;
  /** The stream is gone; `answered` when a status went out before. */
  closed(answered: boolean): void;
}

/** What all streams of a server share. */
export interface StreamSurroundings {
  readonly limits: GrpcLimits;
  /** Pack replies with gzip for clients that accept it. */
  readonly packReplies: boolean;
  /** When the time limits were last looked at, in milliseconds: near enough, and free of cost. */
  lookedAt: number;
}

/** What the request's headers say of its messages. */
export interface MessageEncoding {
  /** How messages with the compressed flag are packed. */
  readonly encoding: string | undefined;
  readonly acceptsGzip: boolean;
}

/**
 * The server's side of one call as gRPC over HTTP/2 has it: messages and a half-close in, headers, messages and a
 * status out. It knows nothing of methods or stubs.
 *
 * grpc-js has the same inside, and cannot be used for it: it drops the order of the headers, takes any compressed
 * flag and a message that ends halfway, does not pack replies, writes header values that it refuses to the console,
 * and does not tell its handlers when it ends a call by itself. It also costs a third more for each call.
 */
export class GrpcStream {
  readonly #stream: ServerHttp2Stream;
  readonly #surroundings: StreamSurroundings;
  readonly #encoding: string | undefined;
  readonly #packs: boolean;
  readonly #frames: FrameReader;
  #listener: GrpcStreamListener | undefined;
  #wholeRequest = false;
  /** The stream has no more data to give; a half-close is told once everything before it is. */
  #sawEnd = false;
  #unpacking = false;
  #held = false;
  /** Since when something is awaited from the client: the rest of a request, or that it takes its answer. */
  #waitingSince = Infinity;
  /** The listener wants no more of the request. */
  #deaf = false;
  #paused = false;
  #headersSent = false;
  #ended = false;

  constructor(stream: ServerHttp2Stream, encoding: MessageEncoding, surroundings: StreamSurroundings) {
    this.#stream = stream;
    this.#surroundings = surroundings;
    this.#encoding = encoding.encoding;
    this.#packs = surroundings.packReplies && encoding.acceptsGzip;
    this.#frames = new FrameReader(surroundings.limits.messageReceiveBytesMax);
  }

  /** Starts to read. With `wholeRequest` the half-close must come within `messageReceiveMs`. */
  listen(listener: GrpcStreamListener, wholeRequest: boolean): void {
    this.#listener = listener;
    this.#wholeRequest = wholeRequest;
    const stream = this.#stream;
    stream.on('close', () => this.#close());
    if (this.#deaf) return;
    if (wholeRequest) this.#startWaiting();
    stream.on('data', (chunk: Buffer) => {
      if (this.#deaf) return;
      this.#frames.push(chunk);
      this.#read();
    });
    stream.on('end', () => {
      // Node ends the request of a stream that was reset, too; that is no half-close.
      if (stream.aborted || stream.destroyed) return;
      this.#sawEnd = true;
      this.#read();
    });
  }

  /** Tells of no message until `release`; the client feels it when the stream's window is full. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#read();
  }

  /** The rest of the request is dropped unread. */
  ignoreRequest(): void {
    if (this.#deaf) return;
    this.#deaf = true;
    this.#waitingSince = Infinity;
    this.#stream.resume();
  }

  /** Ends what takes too long; to be called now and then, at the moment `surroundings.lookedAt`. */
  look(): void {
    const waitedMs = this.#surroundings.lookedAt - this.#waitingSince;
    const { messageReceiveMs, messageSendMs } = this.#surroundings.limits;
    if (this.#ended) {
      if (waitedMs > messageSendMs) this.reset(constants.NGHTTP2_CANCEL);
    } else if (waitedMs > messageReceiveMs) this.#break(tooSlow(messageReceiveMs));
  }

  /** Throws a `TransportFault` for a header that cannot go over the wire. */
  sendHeaders(headers: Headers): void {
    if (this.#headersSent || this.#gone()) return;
    const reply = this.#packs ? packedReplyHeaders : plainReplyHeaders;
    this.#respond(headers.length === 0 ? reply : addHeaders({ ...reply }, headers), respondThenTrailers);
  }

  sendMessage(bytes: Uint8Array): void {
    if (this.#gone()) return;
    if (!this.#headersSent) this.sendHeaders([]);
    const frame = this.#frame(bytes);
    const waiting = this.#stream.writableLength;
    if (waiting > 0 && waiting + frame.length > this.#surroundings.limits.queuedBytesMax) {
      this.#overflow(waiting + frame.length);
      return;
    }
    this.#stream.write(frame);
  }

  /** Sends the status; only the first one counts. Throws a `TransportFault` for a trailer that cannot be sent. */
  end(code: number, message: string | undefined, trailers: Headers | undefined): void {
    if (this.#gone()) return;
    const reply = statusHeaders(code, message, this.#surroundings.limits.statusMessageBytesMax);
    if (trailers !== undefined) addHeaders(reply, trailers);
    if (this.#headersSent) this.#endWithTrailers(reply);
    else {
      this.#respond({ ...statusOnlyHeaders, ...reply }, respondOnly);
      this.#refuseTheRest();
    }
    this.#ended = true;
    this.ignoreRequest();
    this.#startWaiting();
  }

  /** Ends the stream without a status; `code` is an HTTP/2 error code. */
  reset(code: number): void {
    this.#ended = true;
    this.ignoreRequest();
    if (!this.#stream.destroyed) this.#stream.close(code);
  }

  #read(): void {
    let progress = false;
    while (!this.#busy()) {
      const frame = this.#nextFrame();
      if (frame === undefined) break;
      progress = true;
      if (frame.compressed) this.#unpack(frame.bytes);
      else this.#listener?.message(frame.bytes);
    }
    if (this.#deaf) return;
    if (this.#busy()) this.#pause();
    else if (this.#sawEnd) this.#endOfRequest();
    else this.#waitForMore(progress);
  }

  #busy(): boolean {
    return this.#held || this.#unpacking || this.#deaf;
  }

  #nextFrame(): ReturnType<FrameReader['next']> {
    try {
      return this.#frames.next();
    } catch (fault) {
      if (!(fault instanceof TransportFault)) throw fault;
      this.#break(fault);
      return undefined;
    }
  }

  #unpack(bytes: Uint8Array): void {
    this.#unpacking = true;
    unpack(bytes, this.#encoding, this.#surroundings.limits.messageReceiveBytesMax, (result) => {
      this.#unpacking = false;
      if (this.#deaf) return;
      if (result instanceof TransportFault) this.#break(result);
      else this.#listener?.message(result);
      this.#read();
    });
  }

  #pause(): void {
    // What we do not read, the client cannot be late with.
    if (!this.#wholeRequest) this.#waitingSince = Infinity;
    if (this.#paused) return;
    this.#paused = true;
    this.#stream.pause();
  }

  #waitForMore(progress: boolean): void {
    if (!this.#wholeRequest) this.#watchPartialMessage(progress);
    if (!this.#paused) return;
    this.#paused = false;
    this.#stream.resume();
  }

  /** The time counts from where a message began: bytes that drip in must not renew it. */
  #watchPartialMessage(progress: boolean): void {
    if (!this.#frames.partial) this.#waitingSince = Infinity;
    else if (progress || this.#waitingSince === Infinity) this.#startWaiting();
  }

  #startWaiting(): void {
    this.#waitingSince = this.#surroundings.lookedAt;
  }

  #endOfRequest(): void {
    if (this.#frames.partial) {
      this.#break(new TransportFault(statusCodes.INTERNAL, 'the request ended in the middle of a message'));
      return;
    }
    this.#waitingSince = Infinity;
    this.#deaf = true;
    this.#listener?.halfClosed();
  }

  #break(fault: TransportFault): void {
    this.ignoreRequest();
    this.#listener?.broken(fault);
  }

  #overflow(bytes: number): void {
    const { queuedBytesMax } = this.#surroundings.limits;
    this.ignoreRequest();
    this.#listener?.overflowed(
      new TransportFault(
        statusCodes.RESOURCE_EXHAUSTED,
        `the client does not read: ${bytes} bytes would wait for it, more than the ${queuedBytesMax} of queuedBytesMax`,
      ),
    );
  }

  #frame(bytes: Uint8Array): Buffer {
    const { messageSendBytesMax } = this.#surroundings.limits;
    if (bytes.length > messageSendBytesMax) {
      throw new TransportFault(
        statusCodes.RESOURCE_EXHAUSTED,
        `the reply has a message of ${bytes.length} bytes, larger than the ${messageSendBytesMax} of messageSendBytesMax`,
      );
    }
    const packed = this.#packs ? pack(bytes) : undefined;
    return packed === undefined ? frameMessage(bytes, false) : frameMessage(packed, true);
  }

  #gone(): boolean {
    return this.#ended || this.#stream.destroyed || this.#stream.closed;
  }

  #respond(headers: OutgoingHttpHeaders, options: typeof respondOnly | typeof respondThenTrailers): void {
    try {
      this.#stream.respond(headers, options);
      this.#headersSent = true;
    } catch (cause) {
      // Node's own rules for headers, on top of ours: several values for a name that may have one.
      throw new TransportFault(
        statusCodes.INTERNAL,
        `the reply's headers cannot be sent: ${messageOf(cause)}`,
      );
    }
  }

  #endWithTrailers(trailers: OutgoingHttpHeaders): void {
    const stream = this.#stream;
    stream.once('wantTrailers', () => {
      try {
        stream.sendTrailers(trailers);
        this.#refuseTheRest();
      } catch {
        // Too late for a status of our own; the client sees INTERNAL.
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      }
    });
    stream.end();
  }

  /** Tells a client that still sends that nobody listens (RFC 9113, 8.1), once its whole answer is on the way. */
  #refuseTheRest(): void {
    if (this.#sawEnd) return;
    // Node sends headers and trailers in a task of its own, which stands before this one.
    setImmediate(() => {
      if (!this.#stream.readableEnded) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }

  #close(): void {
    const listener = this.#listener;
    this.#deaf = true;
    this.#listener = undefined;
    listener?.closed(this.#ended);
  }
}

// `date` would be the wall clock's: no reply depends on it, and it costs something.
const respondOnly = { endStream: true, sendDate: false } as const;
const respondThenTrailers = { waitForTrailers: true, sendDate: false } as const;

function tooSlow(messageReceiveMs: number): TransportFault {
  return new TransportFault(
    statusCodes.DEADLINE_EXCEEDED,
    `the request was begun and not finished within the ${messageReceiveMs} ms of messageReceiveMs`,
  );
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
