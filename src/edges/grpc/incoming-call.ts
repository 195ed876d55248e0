import { constants } from 'node:http2';
import type { CallCancelled, CallEnded, CallOpened, Headers } from '../../core/services/rpc/events.ts';
import type { LogEntry, Outcome } from '../../core/simulator/events.ts';
import type { Settlement, Simulator } from '../../core/simulator/simulator.ts';
import type { GrpcLimits } from './limits.ts';
import type { GrpcStream, GrpcStreamListener } from './grpc-stream.ts';
import { statusCodes } from '../../core/services/rpc/status-codes.ts';
import { TransportFault } from './transport-fault.ts';

/** What all calls of a server share. */
export interface CallSurroundings {
  readonly simulator: Simulator;
  readonly limits: GrpcLimits;
  /** Calls that are opened in the log and have more to come than the entry that opened them, by id. */
  readonly open: Map<number, IncomingCall>;
  /** Every call whose stream is still there. */
  readonly live: Set<IncomingCall>;
}

/** What a call is opened with, apart from messages. */
export interface CallHead {
  readonly method: string;
  readonly session: string;
  readonly headers: Headers;
  readonly timeoutMs: number | undefined;
}

// The client's own timer started before the header travelled, so its reset comes in a little before our count ends.
const deadlineSlackMs = 20;

/**
 * One call, between its stream and the simulator: what the stream tells becomes inputs, and what comes of them goes
 * out on the stream. It decides nothing.
 *
 *     receiving ──CallOpened──▶ opened ──CallEnded──▶ over        (a status goes out)
 *         └───────────────── CallAborted, CallCancelled ─▶ over   (a status, a reset, or nothing: the client is gone)
 *
 * A call whose request is one message is opened when that message and the half-close are in; any other at once.
 */
export class IncomingCall implements GrpcStreamListener {
  readonly #head: CallHead;
  readonly #stream: GrpcStream;
  readonly #surroundings: CallSurroundings;
  readonly #wholeRequest: boolean;
  #message: Uint8Array | undefined;
  /** The seq of the entry that opened the call; 0 before that. */
  #id = 0;
  #over = false;
  /** Messages that are in the log and not yet durable. */
  #unsettled = 0;
  #openedAt = 0;

  constructor(head: CallHead, stream: GrpcStream, wholeRequest: boolean, surroundings: CallSurroundings) {
    this.#head = head;
    this.#stream = stream;
    this.#wholeRequest = wholeRequest;
    this.#surroundings = surroundings;
  }

  begin(): void {
    if (this.#head.timeoutMs !== undefined) this.#openedAt = performance.now();
    this.#surroundings.live.add(this);
    this.#stream.listen(this, this.#wholeRequest);
    if (!this.#wholeRequest && !this.#over) this.#open(undefined);
  }

  /** Ends a call that must not begin, with an input that says why. */
  refuse(fault: TransportFault): void {
    this.#surroundings.live.add(this);
    this.#stream.ignoreRequest();
    this.#stream.listen(this, false);
    this.broken(fault);
  }

  /** Ends the call because the server stops; an input if the call is open. */
  shutDown(): void {
    if (this.#over) return;
    const message = 'the server is shutting down';
    if (this.#isOpen()) this.#cancel('shutdown', { code: statusCodes.UNAVAILABLE, message });
    else if (this.#id === 0) this.#finish(statusCodes.UNAVAILABLE, message);
  }

  /** Ends what takes too long. */
  look(): void {
    this.#stream.look();
  }

  message(bytes: Uint8Array): void {
    if (this.#over) return;
    if (this.#wholeRequest) this.#keepMessage(bytes);
    else if (this.#isOpen()) this.#submitPart({ kind: 'MessageReceived', call: this.#id, bytes });
  }

  halfClosed(): void {
    if (this.#over) return;
    if (!this.#wholeRequest) {
      if (this.#isOpen()) this.#submitPart({ kind: 'CallHalfClosed', call: this.#id });
    } else if (this.#message === undefined) this.broken(wrongNumberOfMessages('none'));
    else this.#open(this.#message);
  }

  broken(fault: TransportFault): void {
    this.#abort(fault, () => this.#finish(fault.code, fault.message));
  }

  overflowed(fault: TransportFault): void {
    this.#abort(fault, () => this.#stream.reset(constants.NGHTTP2_ENHANCE_YOUR_CALM));
  }

  closed(answered: boolean): void {
    this.#surroundings.live.delete(this);
    if (answered || this.#over) return;
    if (this.#isOpen()) this.#cancel(this.#pastDeadline() ? 'deadline' : 'client', undefined);
    else if (this.#id === 0)
      this.#abort(
        new TransportFault(statusCodes.CANCELLED, 'the client left before its request was whole'),
        nothing,
      );
    this.#leave();
  }

  /** Lets out what an entry says of this call. */
  apply(outcome: Outcome): void {
    if (this.#over) return;
    try {
      this.#send(outcome);
    } catch (fault) {
      if (!(fault instanceof TransportFault)) throw fault;
      this.broken(fault);
    }
  }

  #send(outcome: Outcome): void {
    if (outcome.kind === 'HeadersSent') this.#stream.sendHeaders(outcome.headers);
    else if (outcome.kind === 'MessageSent') this.#stream.sendMessage(outcome.bytes);
    else if (outcome.kind === 'CallEnded') {
      this.#stream.end(outcome.code, outcome.message, outcome.trailers);
      this.#leave();
    }
  }

  #keepMessage(bytes: Uint8Array): void {
    if (this.#message === undefined) this.#message = bytes;
    else {
      this.#stream.ignoreRequest();
      this.broken(wrongNumberOfMessages('more than one'));
    }
  }

  #open(bytes: Uint8Array | undefined): void {
    const input = callOpened(this.#head, bytes);
    this.#id = this.#surroundings.simulator.submit(input, (settlement) => this.#opened(settlement));
  }

  #opened(settlement: Settlement): void {
    if (this.#over) return;
    if (!settlement.ok) {
      this.#finish(statusCodes.UNAVAILABLE, settlement.failure.message);
      return;
    }
    const { entry } = settlement;
    for (const outcome of entry.outcomes) {
      if ('call' in outcome && outcome.call === entry.seq) this.apply(outcome);
    }
    if (!this.#over) this.#surroundings.open.set(this.#id, this);
  }

  // The simulator ends a call whose deadline passes on the log's clock. On a clock like the client's own, the client
  // may be first, and its reset looks like any other.
  #pastDeadline(): boolean {
    const { timeoutMs } = this.#head;
    if (timeoutMs === undefined || this.#surroundings.simulator.world().clockMode !== 'system') return false;
    return performance.now() - this.#openedAt + deadlineSlackMs >= timeoutMs;
  }

  #submitPart(input: Parameters<Simulator['submit']>[0]): void {
    this.#unsettled += 1;
    if (this.#unsettled >= this.#surroundings.limits.unsettledMessagesMax) this.#stream.hold();
    this.#surroundings.simulator.submit(input, (settlement) => {
      this.#unsettled -= 1;
      if (!settlement.ok)
        this.broken(new TransportFault(statusCodes.UNAVAILABLE, settlement.failure.message));
      this.#stream.release();
    });
  }

  /** Without `answer` the client is gone. With it, that goes out unless the simulator has one of its own. */
  #cancel(reason: CallCancelled['reason'], answer: Pick<CallEnded, 'code' | 'message'> | undefined): void {
    const input: CallCancelled = { kind: 'CallCancelled', call: this.#id, reason };
    this.#surroundings.simulator.submit(input, (settlement) => {
      if (this.#over || answer === undefined) return;
      if (settlement.ok) this.#applyAll(settlement.entry);
      if (!this.#over) this.#finish(answer.code, answer.message);
    });
  }

  #applyAll(entry: LogEntry): void {
    for (const outcome of entry.outcomes) {
      if ('call' in outcome && outcome.call === this.#id) this.apply(outcome);
    }
  }

  /** Ends the call by the transport's decision; `then` lets it be seen, once the entry is durable or refused. */
  #abort(fault: TransportFault, then: () => void): void {
    if (this.#over) return;
    this.#leave();
    const { method, session, headers } = this.#head;
    const { code, message } = fault;
    const said = { kind: 'CallAborted', method, session, headers, code, message } as const;
    const input = this.#id === 0 ? said : { ...said, call: this.#id };
    this.#surroundings.simulator.submit(input, then);
  }

  #finish(code: number, message: string | undefined): void {
    this.#leave();
    this.#stream.end(code, message, undefined);
  }

  #leave(): void {
    this.#over = true;
    this.#surroundings.open.delete(this.#id);
  }

  /** Whether the simulator still has this call: what comes in for a call that it has ended is no news. */
  #isOpen(): boolean {
    return this.#id !== 0 && this.#surroundings.simulator.world().rpc.calls.has(this.#id);
  }
}

function nothing(): void {}

function callOpened(head: CallHead, bytes: Uint8Array | undefined): CallOpened {
  const { method, session, headers, timeoutMs } = head;
  if (timeoutMs === undefined) {
    return bytes === undefined
      ? { kind: 'CallOpened', method, session, headers }
      : { kind: 'CallOpened', method, session, headers, bytes };
  }
  return bytes === undefined
    ? { kind: 'CallOpened', method, session, headers, timeoutMs }
    : { kind: 'CallOpened', method, session, headers, timeoutMs, bytes };
}

// UNIMPLEMENTED: gRPC's table of status codes, "Request cardinality violation".
function wrongNumberOfMessages(count: string): TransportFault {
  return new TransportFault(
    statusCodes.UNIMPLEMENTED,
    `the method takes exactly one request message, got ${count}`,
  );
}
