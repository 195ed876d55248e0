import type { DescMethod, Message } from '@bufbuild/protobuf';
import { fingerprint, isCredentialHeader } from '../../kernel/credentials.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { encodedJson, joinedHeaders } from './call-json.ts';
import { isClientStreaming, isServerStreaming } from './catalogue.ts';
import { decodeMessage, encodeJson } from './codec.ts';
import { methodPath, methodsFor } from './descriptors.ts';
import type { Headers, RpcOutcome, Violation } from './events.ts';
import { inspectCall, type Inspection } from './inspection.ts';
import { rehearseCall, withOnlyStub, type Moment, type RehearsedCall } from './rehearsal.ts';
import type { RpcState } from './state.ts';
import { getStub } from './stubs.ts';

/** A call that somebody asks about, as JSON. */
export interface CallQuestion {
  /** Ask this stub alone, whatever its rules on the request say. */
  readonly id?: string;
  /** The full name, or the name without the package. */
  readonly service: string;
  readonly method: string;
  readonly session: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The one message. */
  readonly data?: Json;
  /** The messages of a client that streams; instead of `data`. */
  readonly input?: readonly Json[];
}

export type Answered<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Nobody would answer; `reason` is what a client would read. */
  | { readonly kind: 'missed'; readonly reason: string }
  /** The messages do not fit the method; pointers into the question. */
  | { readonly kind: 'invalid'; readonly violations: readonly Violation[] };

/** What a client would be told, and by which stub. */
export interface SearchAnswer {
  readonly stubId?: string;
  readonly headers?: JsonObject;
  /** The first message. */
  readonly data: Json;
  /** All messages, where the server streams. */
  readonly stream?: readonly Json[];
  /** The status message; empty when there is none. */
  readonly error: string;
  /** The gRPC status; absent while the call would stay open. */
  readonly code?: number;
}

/** Rehearses the call that is asked about. Nothing is used up. */
export function searchStubs(state: RpcState, question: CallQuestion, moment: Moment): Answered<SearchAnswer> {
  const asked = askedCall(state, question);
  if (asked.kind !== 'answer') return asked;
  const { call, method } = asked.answer;
  const stub = question.id === undefined ? undefined : getStub(state.stubs, question.id);
  if (question.id !== undefined && stub === undefined) {
    return { kind: 'missed', reason: `no stub here has the id ${question.id}` };
  }
  const outcomes = rehearseCall(stub === undefined ? state : withOnlyStub(state, stub), call, moment);
  return outcomes.some((outcome) => outcome.kind === 'CallMissed')
    ? { kind: 'missed', reason: endOf(outcomes)?.message ?? 'no stub matches' }
    : { kind: 'answer', answer: answerFrom(outcomes, method, state) };
}

export interface InspectionAnswer extends Inspection {
  /** The full name. */
  readonly service: string;
  readonly method: string;
  readonly session: string;
  /** Empty when a stub would answer. */
  readonly error: string;
}

/** Inspects how the call that is asked about would be matched. Nothing is used up. */
export function inspectStubs(state: RpcState, question: CallQuestion): Answered<InspectionAnswer> {
  const asked = askedCall(state, question);
  if (asked.kind !== 'answer') return asked;
  const { call, method } = asked.answer;
  const { session, headers } = call;
  const messages = call.messages.flatMap((bytes): readonly Message[] => {
    const decoded = decodeMessage(method.input, bytes);
    return decoded.ok ? [decoded.message] : [];
  });
  const report = inspectCall(state, { method, session, headers, messages, complete: true });
  const error = report.matchedStubId === undefined ? 'no stub matches' : '';
  const answer = { service: method.parent.typeName, method: method.name, session, error, ...report };
  return { kind: 'answer', answer };
}

interface AskedCall {
  readonly method: DescMethod;
  readonly call: RehearsedCall;
}

function askedCall(state: RpcState, question: CallQuestion): Answered<AskedCall> {
  const { service, session } = question;
  const [method] = methodsFor(state.descriptors, service, question.method);
  if (method === undefined) {
    return { kind: 'missed', reason: `no descriptor that was loaded has ${service}/${question.method}` };
  }
  const messages: Uint8Array[] = [];
  for (const { json, pointer } of messagesOf(question)) {
    const encoded = encodeJson(method.input, json ?? {}, state.descriptors);
    if (!encoded.ok) {
      const violations = [{ pointer: pointer + encoded.pointer, message: encoded.problem }];
      return { kind: 'invalid', violations };
    }
    messages.push(encoded.bytes);
  }
  const path = methodPath(method);
  const clientStreaming = isClientStreaming(method);
  const call = { method: path, clientStreaming, session, headers: headersOf(question), messages };
  return { kind: 'answer', answer: { method, call } };
}

function messagesOf({
  data,
  input,
}: CallQuestion): readonly { readonly json: Json; readonly pointer: string }[] {
  if (input !== undefined) return input.map((json, index) => ({ json, pointer: `/input/${index}` }));
  return data === undefined ? [] : [{ json: data, pointer: '/data' }];
}

/** As an edge would log them. */
function headersOf({ headers = {} }: CallQuestion): Headers {
  return Object.entries(headers).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    const values = typeof value === 'string' ? [value] : value;
    return values.map((one) => [key, isCredentialHeader(key) ? fingerprint(one) : one] as const);
  });
}

function endOf(outcomes: readonly RpcOutcome[]): Extract<RpcOutcome, { kind: 'CallEnded' }> | undefined {
  return outcomes.find((outcome) => outcome.kind === 'CallEnded');
}

function answerFrom(
  outcomes: readonly RpcOutcome[],
  method: DescMethod,
  { descriptors }: RpcState,
): SearchAnswer {
  const end = endOf(outcomes);
  const messages = outcomes.flatMap((outcome) =>
    outcome.kind === 'MessageSent' ? [encodedJson(outcome.bytes, method.output, descriptors)] : [],
  );
  const headers = outcomes.flatMap((outcome) => (outcome.kind === 'HeadersSent' ? outcome.headers : []));
  const stub = outcomes.findLast((outcome) => outcome.kind === 'StubMatched')?.stub;
  return {
    ...(stub !== undefined && { stubId: stub }),
    ...(headers.length > 0 && { headers: joinedHeaders(headers) }),
    data: messages[0] ?? null,
    ...(isServerStreaming(method) && { stream: messages }),
    error: end?.message ?? '',
    ...(end !== undefined && { code: end.code }),
  };
}
