import type { DescMethod, Message } from '@bufbuild/protobuf';
import { sizeOf, valuesOf } from '../../kernel/sorted-set.ts';
import { methodPath, type Descriptors } from './descriptors.ts';
import type { Headers } from './events.ts';
import { closestIn } from './matching/closest.ts';
import {
  compareRank,
  compileStub,
  headersMatch,
  matchesHeard,
  messagesMatch,
  type CompiledStub,
  type Heard,
} from './matching/compiled-stub.ts';
import { headerTexts } from './matching/header-matcher.ts';
import { valuesIn } from './matching/signature.ts';
import type { SessionIndex, StubSet } from './matching/stub-index.ts';
import type { Stub } from './stub.ts';
import type { Stubs } from './stubs.ts';

/** What a call has said so far. */
export interface Query {
  readonly method: DescMethod;
  readonly session: string;
  readonly headers: Headers;
  /** Decoded with `method.input`. */
  readonly messages: readonly Message[];
  /** The client will say nothing more. Of a bidirectional stream, a script must then be matched to its end. */
  readonly complete?: boolean;
}

export interface Selected {
  readonly stub: Stub;
  readonly compiled: CompiledStub;
}

/**
 * The best of the stubs that match what the call has said, are visible to its session and available:
 *
 * 1. the highest priority; 2. for a singular `input` on a client stream, the later matching message (rules on the whole
 * stream count as matching the last, no rules as matching none); 3. more declared fields; 4. the earlier load.
 */
export function selectStub(
  stubs: Stubs,
  query: Query,
  available: (stub: Stub) => boolean,
): Selected | undefined {
  const heard = heardOf(query);
  const sessions = visibleSessions(stubs, query);
  const best =
    query.method.methodKind === 'client_streaming'
      ? bestOfClientStream(sessions, heard, available)
      : bestFor(sessions, heard, heard.messages[0], anyShape, acceptable(query.method, heard, available));
  return best && { stub: best.stub, compiled: best };
}

/** What remains to be asked of a stub that was found under the values of the first message. */
function acceptable(
  method: DescMethod,
  heard: Heard,
  available: (stub: Stub) => boolean,
): (stub: CompiledStub) => boolean {
  const [first] = heard.messages;
  if (method.methodKind === 'bidi_streaming' || first === undefined) {
    return (stub) => available(stub.stub) && matchesHeard(stub, heard);
  }
  return (stub) =>
    available(stub.stub) &&
    headersMatch(stub, heard.headers) &&
    (stub.shape === 'input'
      ? stub.inputs[0]?.matchesBeside(first) === true
      : messagesMatch(stub, heard.messages, heard.complete));
}

function heardOf({ headers, messages, complete, method }: Query): Heard {
  return {
    headers: headerTexts(headers),
    messages,
    complete: complete ?? method.methodKind !== 'bidi_streaming',
  };
}

/** That of everyone, and the caller's own. */
function visibleSessions(stubs: Stubs, { method, session }: Query): readonly SessionIndex[] {
  const ofMethod = stubs.index.get(methodPath(method));
  if (ofMethod === undefined) return [];
  const global = ofMethod.get('');
  const own = session === '' ? undefined : ofMethod.get(session);
  if (own === undefined) return global === undefined ? [] : [global];
  return global === undefined ? [own] : [global, own];
}

const anyShape: readonly CompiledStub['shape'][] = ['any', 'input', 'script'];

/** The best stub of some shapes that is indexed under the values of `message` and is `accepted`. */
function bestFor(
  sessions: readonly SessionIndex[],
  { headers }: Heard,
  message: Message | undefined,
  shapes: readonly CompiledStub['shape'][],
  accepted: (stub: CompiledStub) => boolean,
): CompiledStub | undefined {
  let best: CompiledStub | undefined;
  for (const { signatures } of sessions) {
    for (const { key: signature, byValue } of signatures) {
      if (!shapes.includes(signature.shape)) continue;
      const values = valuesIn(signature, message, headers);
      const candidates = values === undefined ? undefined : byValue.get(values);
      if (candidates !== undefined) best = firstAccepted(candidates, best, accepted);
    }
  }
  return best;
}

/** Candidates come best first, so the first that is accepted is the best of them. */
function firstAccepted(
  candidates: StubSet,
  best: CompiledStub | undefined,
  accepted: (stub: CompiledStub) => boolean,
): CompiledStub | undefined {
  for (const candidate of valuesOf(candidates)) {
    if (best !== undefined && compareRank(candidate, best) >= 0) return best;
    if (accepted(candidate)) return candidate;
  }
  return best;
}

/** From the last message to the first: an earlier one counts only with a higher priority. */
function bestOfClientStream(
  sessions: readonly SessionIndex[],
  heard: Heard,
  available: (stub: Stub) => boolean,
): CompiledStub | undefined {
  const { messages } = heard;
  let best = bestFor(
    sessions,
    heard,
    messages[0],
    ['script'],
    (stub) => available(stub.stub) && matchesHeard(stub, heard),
  );
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) continue;
    const accepted = (stub: CompiledStub): boolean =>
      available(stub.stub) &&
      headersMatch(stub, heard.headers) &&
      stub.inputs[0]?.matchesBeside(message) === true;
    const ofMessage = bestFor(sessions, heard, message, ['input'], accepted);
    if (ofMessage === undefined) continue;
    const isLast = index === messages.length - 1;
    if (
      best === undefined ||
      (isLast ? compareRank(ofMessage, best) < 0 : ofMessage.priority > best.priority)
    ) {
      best = ofMessage;
    }
  }
  const ofAny = bestFor(
    sessions,
    heard,
    messages[0],
    ['any'],
    (stub) => available(stub.stub) && headersMatch(stub, heard.headers),
  );
  return ofAny !== undefined && (best === undefined || ofAny.priority > best.priority) ? ofAny : best;
}

// ── Conversations ───────────────────────────────────────────────────────────────────────────────────────────

const conversing = new WeakMap<Stub, CompiledStub>();

/**
 * Whether a stub that was chosen for a bidirectional stream still fits with its next message, `index` from 0. A script
 * of n messages has nothing to say to one more.
 */
export function stillMatches(
  stub: Stub,
  method: DescMethod,
  message: Message,
  index: number,
  descriptors: Descriptors,
): 'yes' | 'no' | 'beyond the script' {
  let compiled = conversing.get(stub);
  if (compiled?.method !== method) {
    ({ compiled } = compileStub(stub, method, descriptors.registry));
    conversing.set(stub, compiled);
  }
  const { shape, inputs } = compiled;
  if (shape === 'any') return 'yes';
  if (inputs.length > 1 && index >= inputs.length) return 'beyond the script';
  return inputs[inputs.length > 1 ? index : 0]?.matches(message) === true ? 'yes' : 'no';
}

// ── For people ──────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The stub that came closest to answering, whether or not it is still available, if any is close: at least half of its
 * rules hold, where a text that is nearly the expected one counts half.
 */
export function closestStub(stubs: Stubs, query: Query): Stub | undefined {
  return closestIn(visibleSessions(stubs, query), heardOf(query))?.stub;
}

/** How many stubs are left after each step of a selection. */
export interface Funnel {
  readonly stubs: number;
  readonly ofMethod: number;
  readonly visible: number;
  readonly available: number;
  readonly headers: number;
  readonly messages: number;
}

/** Looks at every stub of the method: for an explanation, not for an answer. */
export function funnel(stubs: Stubs, query: Query, available: (stub: Stub) => boolean): Funnel {
  const heard = heardOf(query);
  const ofMethod = stubs.index.get(methodPath(query.method));
  const visible = visibleSessions(stubs, query).flatMap(({ ranked }) => [...valuesOf(ranked)]);
  const left = visible.filter(({ stub }) => available(stub));
  const withHeaders = left.filter((stub) => headersMatch(stub, heard.headers));
  return {
    stubs: stubs.byId.size,
    ofMethod: ofMethod === undefined ? 0 : sum(ofMethod.valueSeq().map(({ ranked }) => sizeOf(ranked))),
    visible: visible.length,
    available: left.length,
    headers: withHeaders.length,
    messages: withHeaders.filter((stub) => messagesMatch(stub, heard.messages, heard.complete)).length,
  };
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
