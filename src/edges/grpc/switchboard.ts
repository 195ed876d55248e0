import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { LogEntry } from '../../core/simulator/events.ts';
import { sessionNameMax } from '../../core/simulator/session.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { GrpcStream, type StreamSurroundings } from './grpc-stream.ts';
import { type CallSurroundings, IncomingCall } from './incoming-call.ts';
import type { GrpcLimits } from './limits.ts';
import { readRequestHead, type RequestHead } from './request-headers.ts';
import { statusCodes } from '../../core/services/rpc/status-codes.ts';
import { TransportFault } from './transport-fault.ts';
import { parseTimeoutMs } from './timeout.ts';

/** Connects streams with the simulator: a new stream becomes a call, an entry's outcomes go to the calls they name. */
export interface Switchboard {
  answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void;
  /** From now on every new call is UNAVAILABLE, without an input. */
  refuseNewCalls(): void;
  /** Cancels what is still running: each call gets its status once the input that says so is durable. */
  shutDownCalls(): void;
  close(): void;
}

export interface SwitchboardOptions {
  readonly simulator: Simulator;
  readonly limits: GrpcLimits;
  readonly packReplies: boolean;
}

export function openSwitchboard({ simulator, limits, packReplies }: SwitchboardOptions): Switchboard {
  const surroundings: CallSurroundings = { simulator, limits, open: new Map(), live: new Set() };
  const streams: StreamSurroundings = { limits, packReplies, lookedAt: performance.now() };
  const looking = setInterval(() => {
    streams.lookedAt = performance.now();
    for (const call of surroundings.live) call.look();
  }, lookEveryMs(limits));
  looking.unref();
  const stopListening = simulator.onCommitted((entry) => dispatch(entry, surroundings));
  let refusing = false;
  return {
    answer(stream, headers, rawHeaders) {
      stream.on('error', ignoreStreamError);
      const head = readRequestHead(rawHeaders);
      const fault = notGrpc(headers);
      if (fault !== undefined) refuseHttp(stream, head, fault, simulator);
      else if (refusing)
        new GrpcStream(stream, head, streams).end(
          statusCodes.UNAVAILABLE,
          'the server is shutting down',
          undefined,
        );
      else take(new GrpcStream(stream, head, streams), head, surroundings);
    },
    refuseNewCalls() {
      refusing = true;
    },
    shutDownCalls() {
      for (const call of surroundings.live) call.shutDown();
    },
    close() {
      stopListening();
      clearInterval(looking);
    },
  };
}

/** Often enough that a limit is met a little late at most; a timer for each call would cost more than reading it. */
function lookEveryMs({ messageReceiveMs, messageSendMs }: GrpcLimits): number {
  return Math.min(5000, Math.max(5, Math.min(messageReceiveMs, messageSendMs) / 8));
}

// Every error of a stream is followed by its `close`, which is what a call needs to know. Without a listener the
// process would end.
function ignoreStreamError(): void {}

/**
 * The entry that opened a call is let out by its own settlement, and it speaks of no other call. So a unary call that
 * is answered at once passes here without being looked up.
 */
function dispatch(entry: LogEntry, { open }: CallSurroundings): void {
  if (open.size === 0 || entry.input.kind === 'CallOpened') return;
  for (const outcome of entry.outcomes) {
    if ('call' in outcome && outcome.call !== undefined) open.get(outcome.call)?.apply(outcome);
  }
}

function take(stream: GrpcStream, head: RequestHead, surroundings: CallSurroundings): void {
  const methods = surroundings.simulator.world().rpc.descriptors.methods;
  const kind = methods.get(head.method)?.methodKind;
  const wholeRequest = kind === 'unary' || kind === 'server_streaming';
  const refusal = refusalOf(head, surroundings);
  const { method, session, headers } = head;
  const timeoutMs =
    refusal === undefined && head.timeout !== undefined ? parseTimeoutMs(head.timeout) : undefined;
  const call = new IncomingCall({ method, session, headers, timeoutMs }, stream, wholeRequest, surroundings);
  if (refusal === undefined) call.begin();
  else call.refuse(refusal);
}

/** Why a call must not begin. */
function refusalOf(head: RequestHead, { live, limits }: CallSurroundings): TransportFault | undefined {
  const { headerListBytesMax, openCallsMax } = limits;
  if (live.size >= openCallsMax) {
    return exhausted(`${live.size} calls are open, as many as openCallsMax allows`);
  }
  if (head.headerListBytes > headerListBytesMax) {
    return exhausted(
      `the headers are ${head.headerListBytes} bytes, more than the ${headerListBytesMax} of headerListBytesMax`,
    );
  }
  if (head.session.length > sessionNameMax) {
    const message = `the name of a session has at most ${sessionNameMax} characters, got ${head.session.length}`;
    return new TransportFault(statusCodes.INVALID_ARGUMENT, message);
  }
  if (head.timeout !== undefined && parseTimeoutMs(head.timeout) === undefined) {
    const message = `grpc-timeout must be one to eight digits and a unit, got ${JSON.stringify(head.timeout.slice(0, 40))}`;
    return new TransportFault(statusCodes.INTERNAL, message);
  }
  return undefined;
}

function exhausted(message: string): TransportFault {
  return new TransportFault(statusCodes.RESOURCE_EXHAUSTED, message);
}

/** What makes a request one that gRPC cannot answer, and HTTP must. */
interface NotGrpc {
  readonly httpStatus: number;
  readonly message: string;
}

function notGrpc(headers: IncomingHttpHeaders): NotGrpc | undefined {
  if (headers[':method'] !== 'POST') {
    return { httpStatus: 405, message: `a gRPC call is a POST, got ${headers[':method'] ?? 'no method'}` };
  }
  if (isGrpcContentType(headers)) return undefined;
  const got = headers['content-type'] ?? 'none';
  return {
    httpStatus: 415,
    message: `a gRPC call has the content type application/grpc, got ${got.slice(0, 100)}`,
  };
}

/** Whether a content type is gRPC's own, and not that of gRPC-Web, which frames its trailers differently. */
function isGrpcContentType(headers: IncomingHttpHeaders): boolean {
  return /^application\/grpc(?:$|[+;])/.test(headers['content-type'] ?? '');
}

// A gRPC client makes UNKNOWN of these HTTP statuses, so that is what the log says.
function refuseHttp(
  stream: ServerHttp2Stream,
  head: RequestHead,
  fault: NotGrpc,
  simulator: Simulator,
): void {
  const { method, session, headers } = head;
  const { message } = fault;
  stream.resume();
  simulator.submit(
    { kind: 'CallAborted', method, session, headers, code: statusCodes.UNKNOWN, message },
    () => {
      if (stream.destroyed || stream.closed) return;
      stream.respond({ ':status': fault.httpStatus, 'content-type': 'text/plain' });
      stream.end(`${message}\n`);
    },
  );
}
