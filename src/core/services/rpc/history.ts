import { List, Map } from 'immutable';
import type { Entry } from '../../kernel/entry.ts';
import type { CallOpened, Headers, MessageReceived, RpcInput, RpcOutcome } from './events.ts';

/** What a client said on one call, and what it was told. */
export interface CallRecord {
  /** The seq of the entry that opened it. */
  readonly seq: number;
  /** `/package.Service/Method`. */
  readonly method: string;
  readonly session: string;
  /** Milliseconds since 1970-01-01T00:00:00Z, as everywhere. */
  readonly openedAt: number;
  /** Encoded messages. */
  readonly requests: List<Uint8Array>;
  readonly responses: List<Uint8Array>;
  /** The stub that answered last. */
  readonly stub?: string;
  readonly responseHeaders: Headers;
  readonly end?: CallEnd;
}

export interface CallEnd {
  readonly at: number;
  /** A gRPC status code. */
  readonly code: number;
  readonly message: string;
  readonly trailers: Headers;
}

/** The calls of a log, folded: the newest in full, and how many there were of each method in each session. */
export interface History {
  /** The last entry that is in it. */
  readonly seq: number;
  /** By seq, in order. */
  readonly calls: Map<number, CallRecord>;
  readonly order: List<number>;
  /** Of all messages in `calls`. */
  readonly bytes: number;
  /** By session, then by method path. */
  readonly counts: Map<string, Map<string, number>>;
  /** Calls that made room for newer ones, by session. */
  readonly forgotten: Map<string, number>;
}

export interface HistoryLimits {
  readonly callsMax: number;
  /** Messages of all calls together; the newest call is kept whatever its size. */
  readonly bytesMax: number;
}

export const noHistory: History = {
  seq: 0,
  calls: Map(),
  order: List(),
  bytes: 0,
  counts: Map(),
  forgotten: Map(),
};

/** The history after more entries, which follow those that are in it; entries of other services pass it by. */
export function foldHistory(history: History, entries: Iterable<Entry>, limits: HistoryLimits): History {
  const draft: Draft = {
    seq: history.seq,
    calls: history.calls.asMutable(),
    order: history.order.asMutable(),
    bytes: history.bytes,
    counts: history.counts,
    forgotten: history.forgotten,
  };
  for (const entry of entries) takeEntry(draft, entry, limits);
  return { ...draft, calls: draft.calls.asImmutable(), order: draft.order.asImmutable() };
}

/** The history without the calls that were made so far, in one session or in all; calls that are still open go too. */
export function clearHistory(history: History, session: string | undefined): History {
  if (session === undefined) return { ...noHistory, seq: history.seq };
  const kept = history.calls.filter((call) => call.session !== session);
  return {
    seq: history.seq,
    calls: kept,
    order: history.order.filter((seq) => kept.has(seq)),
    bytes: kept.reduce((sum, call) => sum + callBytes(call), 0),
    counts: history.counts.delete(session),
    forgotten: history.forgotten.delete(session),
  };
}

export interface CallFilter {
  readonly session?: string;
  /** The full name of the service, or its name without the package. */
  readonly service?: string;
  readonly method?: string;
  /** Only calls that ended with another status than OK. */
  readonly failed?: boolean;
}

/** The calls that are kept and that the filter lets through, newest first. */
export function newestCalls(history: History, filter: CallFilter): readonly CallRecord[] {
  const calls: CallRecord[] = [];
  for (const seq of history.order.reverse()) {
    const call = history.calls.get(seq);
    if (call !== undefined && passes(call, filter)) calls.push(call);
  }
  return calls;
}

function passes(call: CallRecord, filter: CallFilter): boolean {
  if (filter.session !== undefined && call.session !== filter.session) return false;
  if (filter.failed === true && (call.end?.code ?? 0) === 0) return false;
  return isMethod(call.method, filter);
}

/** How many calls were made, kept or not. */
export function countCalls(history: History, filter: Omit<CallFilter, 'failed'>): number {
  let sum = 0;
  for (const [session, methods] of history.counts) {
    if (filter.session !== undefined && session !== filter.session) continue;
    for (const [method, count] of methods) if (isMethod(method, filter)) sum += count;
  }
  return sum;
}

/** How many calls are no longer kept; they are still in the log. */
export function forgottenCalls(history: History, session: string | undefined): number {
  if (session !== undefined) return history.forgotten.get(session) ?? 0;
  return history.forgotten.reduce((sum, count) => sum + count, 0);
}

/** Takes `/package.Service/Method` apart. */
export function methodParts(path: string): { readonly service: string; readonly method: string } {
  const slash = path.indexOf('/', 1);
  if (slash < 0) return { service: path.slice(1), method: '' };
  return { service: path.slice(1, slash), method: path.slice(slash + 1) };
}

/** Case-sensitive; a service by its full name or its name without the package. */
export function isMethod(
  path: string,
  wanted: { readonly service?: string; readonly method?: string },
): boolean {
  const { service, method } = methodParts(path);
  if (wanted.method !== undefined && wanted.method !== method) return false;
  return wanted.service === undefined || wanted.service === service || service.endsWith(`.${wanted.service}`);
}

// ── Folding ─────────────────────────────────────────────────────────────────────────────────────────────────

type Draft = { -readonly [Key in keyof History]: History[Key] };

function takeEntry(draft: Draft, entry: Entry, limits: HistoryLimits): void {
  // The log is one for all services; what is not of this one falls through every case.
  takeInput(draft, entry, entry.input as RpcInput);
  for (const outcome of entry.outcomes) takeOutcome(draft, entry.at, outcome as RpcOutcome);
  draft.seq = entry.seq;
  makeRoom(draft, limits);
}

function takeInput(draft: Draft, entry: Entry, input: RpcInput): void {
  if (input.kind === 'CallOpened') open(draft, entry, input);
  else if (input.kind === 'MessageReceived') hear(draft, input);
}

function open(draft: Draft, { seq, at }: Entry, input: CallOpened): void {
  const { session, method } = input;
  draft.calls.set(seq, {
    seq,
    method,
    session,
    openedAt: at,
    requests: input.bytes === undefined ? noMessages : List.of(input.bytes),
    responses: noMessages,
    responseHeaders: [],
  });
  draft.order.push(seq);
  draft.bytes += input.bytes?.length ?? 0;
  const counts = draft.counts.get(session) ?? noCounts;
  draft.counts = draft.counts.set(session, counts.set(method, counts.get(method, 0) + 1));
}

const noCounts = Map<string, number>();

const noMessages = List<Uint8Array>();

function hear(draft: Draft, { call: seq, bytes }: MessageReceived): void {
  if (change(draft, seq, (call) => ({ ...call, requests: call.requests.push(bytes) })))
    draft.bytes += bytes.length;
}

function takeOutcome(draft: Draft, at: number, outcome: RpcOutcome): void {
  switch (outcome.kind) {
    case 'StubMatched':
      change(draft, outcome.call, (call) => ({ ...call, stub: outcome.stub }));
      return;
    case 'HeadersSent':
      change(draft, outcome.call, (call) => ({
        ...call,
        responseHeaders: [...call.responseHeaders, ...outcome.headers],
      }));
      return;
    case 'MessageSent': {
      const { bytes } = outcome;
      if (change(draft, outcome.call, (call) => ({ ...call, responses: call.responses.push(bytes) }))) {
        draft.bytes += bytes.length;
      }
      return;
    }
    case 'CallEnded': {
      const { code, message = '', trailers = [] } = outcome;
      change(draft, outcome.call, (call) => ({ ...call, end: { at, code, message, trailers } }));
      return;
    }
    default:
  }
}

/** False when the call is not there: it was cleared away, or made room. */
function change(draft: Draft, seq: number, how: (call: CallRecord) => CallRecord): boolean {
  const call = draft.calls.get(seq);
  if (call === undefined) return false;
  draft.calls.set(seq, how(call));
  return true;
}

function makeRoom(draft: Draft, { callsMax, bytesMax }: HistoryLimits): void {
  while (draft.order.size > 1 && (draft.order.size > callsMax || draft.bytes > bytesMax)) {
    const oldest = draft.order.first();
    const call = oldest === undefined ? undefined : draft.calls.get(oldest);
    draft.order.shift();
    if (call === undefined) continue;
    draft.calls.delete(call.seq);
    draft.bytes -= callBytes(call);
    draft.forgotten = draft.forgotten.update(call.session, 0, (count) => count + 1);
  }
}

function callBytes(call: CallRecord): number {
  return messageBytes(call.requests) + messageBytes(call.responses);
}

function messageBytes(messages: List<Uint8Array>): number {
  return messages.reduce((sum, message) => sum + message.length, 0);
}
