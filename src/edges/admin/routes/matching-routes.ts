import type { DescMethod, Message } from '@bufbuild/protobuf';
import { fingerprint, isCredentialHeader } from '../../../core/kernel/credentials.ts';
import type { Json } from '../../../core/kernel/json.ts';
import { encodedJson, joinedHeaders } from '../../../core/services/rpc/call-json.ts';
import { isClientStreaming } from '../../../core/services/rpc/catalogue.ts';
import { decodeMessage, encodeJson } from '../../../core/services/rpc/codec.ts';
import { methodPath, methodsFor } from '../../../core/services/rpc/descriptors.ts';
import type { Headers, RpcOutcome } from '../../../core/services/rpc/events.ts';
import { inspectCall } from '../../../core/services/rpc/inspection.ts';
import { rehearseCall, withOnlyStub, type RehearsedCall } from '../../../core/services/rpc/rehearsal.ts';
import type { RpcState } from '../../../core/services/rpc/state.ts';
import { getStub } from '../../../core/services/rpc/stubs.ts';
import type { World } from '../../../core/simulator/world.ts';
import { durableWorld } from '../durable-world.ts';
import { refusal } from '../problem.ts';
import { route, type AdminRoute, type Schema } from '../route.ts';

const tag = 'stubs';

export interface CallQuestion {
  readonly id?: string;
  readonly service: string;
  readonly method: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The one message. */
  readonly data?: Json;
  /** The messages of a client that streams. */
  readonly input?: readonly Json[];
}

const questionSchema: Schema = {
  type: 'object',
  required: ['service', 'method'],
  properties: {
    id: { type: 'string', description: 'Ask this stub alone, whatever its rules on the request say.' },
    service: { type: 'string', minLength: 1, description: 'The full name, or the name without the package.' },
    method: { type: 'string', minLength: 1 },
    session: { type: 'string', description: 'As which session to ask; absent: that of the header.' },
    headers: {
      type: 'object',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      description: 'Request metadata; a credential is compared by its fingerprint.',
    },
    data: { description: 'The request message as JSON.' },
    input: {
      type: 'array',
      description: 'The messages of a client that streams; instead of `data`.',
      items: {},
    },
  },
  additionalProperties: false,
};

const exampleQuestion = { service: 'helloworld.Greeter', method: 'SayHello', data: { name: 'Ada' } };

const postSearch = route<object, object, CallQuestion>({
  method: 'POST',
  path: '/api/stubs/search',
  tag,
  summary: 'Ask what a call would be answered',
  description:
    'Decides in the world of now and keeps nothing: no stub is used up, no effect is applied, nothing is in the log, and ' +
    'delays pass at once.',
  body: { schema: questionSchema, example: exampleQuestion },
  ok: {
    status: 200,
    description: 'What the client would get.',
    schema: {
      type: 'object',
      required: ['data', 'error'],
      properties: {
        stubId: { type: 'string', description: 'The stub that answers; absent for the built-in services.' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        data: { description: 'The first message; null when there is none.' },
        stream: { type: 'array', items: {}, description: 'All messages, where the server streams.' },
        error: { type: 'string', description: 'The status message; empty when there is none.' },
        code: {
          type: 'integer',
          minimum: 0,
          description: 'The gRPC status; absent while the call stays open.',
        },
      },
      additionalProperties: false,
    },
    example: {
      stubId: '6d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b10',
      data: { message: 'Hello Ada' },
      error: '',
      code: 0,
    },
  },
  problems: ['DT_CALL_MISSED'],
  async serve({ body, session }, { simulator }) {
    const world = await durableWorld(simulator);
    const method = methodAsked(world.rpc, body);
    const state = body.id === undefined ? world.rpc : askedAlone(world.rpc, body.id);
    const outcomes = rehearseCall(state, callAsked(world.rpc, method, body, session), momentAfter(world));
    return { status: 200, body: searchAnswer(outcomes, method, world.rpc) };
  },
});

/** Throws a `ProblemError` when no descriptor has it. */
function methodAsked({ descriptors }: RpcState, { service, method }: CallQuestion): DescMethod {
  const [found] = methodsFor(descriptors, service, method);
  if (found === undefined)
    throw refusal('DT_CALL_MISSED', `no descriptor that was loaded has ${service}/${method}`);
  return found;
}

function askedAlone(state: RpcState, id: string): RpcState {
  const stub = getStub(state.stubs, id);
  if (stub === undefined) throw refusal('DT_CALL_MISSED', `no stub here has the id ${id}`);
  return withOnlyStub(state, stub);
}

function callAsked(
  state: RpcState,
  method: DescMethod,
  question: CallQuestion,
  session: string,
): RehearsedCall {
  return {
    method: methodPath(method),
    clientStreaming: isClientStreaming(method),
    session: question.session ?? session,
    headers: headersAsked(question),
    messages: messagesAsked(state, method, question),
  };
}

/** As an edge would log them. */
function headersAsked({ headers = {} }: CallQuestion): Headers {
  return Object.entries(headers).flatMap(([name, value]) => {
    const values = typeof value === 'string' ? [value] : value;
    const key = name.toLowerCase();
    return values.map((one) => [key, isCredentialHeader(key) ? fingerprint(one) : one] as const);
  });
}

function messagesAsked(
  state: RpcState,
  method: DescMethod,
  { data, input }: CallQuestion,
): readonly Uint8Array[] {
  const given = input?.map((json, index) => ({ json, pointer: `/input/${index}` }));
  const messages = given ?? (data === undefined ? [] : [{ json: data, pointer: '/data' }]);
  return messages.map(({ json, pointer }) => {
    const encoded = encodeJson(method.input, json ?? {}, state.descriptors);
    if (encoded.ok) return encoded.bytes;
    const violations = [{ in: 'body', pointer: pointer + encoded.pointer, message: encoded.problem }];
    throw refusal('DT_REQUEST_INVALID', `the request is not a ${method.input.typeName}`, { violations });
  });
}

function momentAfter(world: World): { seed: string; seq: number; at: number } {
  return { seed: world.seed, seq: world.seq + 1, at: world.at };
}

function searchAnswer(
  outcomes: readonly RpcOutcome[],
  method: DescMethod,
  { descriptors }: RpcState,
): object {
  const ended = outcomes.find((outcome) => outcome.kind === 'CallEnded');
  if (outcomes.some((outcome) => outcome.kind === 'CallMissed')) {
    throw refusal('DT_CALL_MISSED', ended?.message ?? 'no stub matches');
  }
  const messages = outcomes.flatMap((outcome) =>
    outcome.kind === 'MessageSent' ? [encodedJson(outcome.bytes, method.output, descriptors)] : [],
  );
  const headers = outcomes.flatMap((outcome) => (outcome.kind === 'HeadersSent' ? outcome.headers : []));
  const stub = outcomes.findLast((outcome) => outcome.kind === 'StubMatched')?.stub;
  const streams = method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming';
  return {
    ...(stub !== undefined && { stubId: stub }),
    ...(headers.length > 0 && { headers: joinedHeaders(headers) }),
    data: messages[0] ?? null,
    ...(streams && { stream: messages }),
    error: ended?.message ?? '',
    ...(ended !== undefined && { code: ended.code }),
  };
}

const stageName: Schema = { type: 'string', enum: ['session', 'times', 'headers', 'input'] };

const candidateSchema: Schema = {
  type: 'object',
  required: [
    ...['id', 'service', 'method', 'session', 'priority', 'times', 'used', 'specificity', 'score', 'visibleBySession'],
    ...['withinTimes', 'headersMatched', 'inputMatched', 'matched', 'excludedBy', 'events'],
  ],
  properties: {
    id: { type: 'string' },
    service: { type: 'string' },
    method: { type: 'string' },
    session: { type: 'string', description: 'Empty: everyone sees it.' },
    priority: { type: 'integer' },
    times: { type: 'integer', minimum: 0, description: '0: without limit.' },
    used: { type: 'integer', minimum: 0, description: 'How often it has answered the session that asks.' },
    specificity: { type: 'integer', minimum: 0, description: 'How many fields its rules declare.' },
    score: { type: 'integer', description: 'Of those that match, the one with the highest answers.' },
    visibleBySession: { type: 'boolean' },
    withinTimes: { type: 'boolean' },
    headersMatched: { type: 'boolean' },
    inputMatched: { type: 'boolean' },
    matched: { type: 'boolean', description: 'True for the one that answers.' },
    excludedBy: { type: 'array', items: stageName },
    events: {
      type: 'array',
      items: {
        type: 'object',
        required: ['stage', 'result'],
        properties: {
          stage: { type: 'string', enum: ['session', 'times', 'headers', 'input', 'selection'] },
          result: { type: 'string', enum: ['passed', 'dropped', 'selected'] },
          reason: { type: 'string' },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

const reportSchema: Schema = {
  type: 'object',
  required: ['service', 'method', 'session', 'fallbackToMethod', 'error', 'stages', 'candidates', 'candidatesLeftOut'],
  properties: {
    service: { type: 'string', description: 'The full name.' },
    method: { type: 'string' },
    session: { type: 'string' },
    matchedStubId: { type: 'string', description: 'The stub that would answer.' },
    similarStubId: { type: 'string', description: 'When none would: the one that comes closest.' },
    fallbackToMethod: { type: 'boolean', description: 'Always false: a stub for another service never answers.' },
    error: { type: 'string', description: 'Empty when a stub would answer.' },
    stages: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'before', 'after', 'removed'],
        properties: {
          name: stageName,
          before: { type: 'integer' },
          after: { type: 'integer' },
          removed: { type: 'integer' },
        },
        additionalProperties: false,
      },
    },
    candidates: { type: 'array', items: candidateSchema, description: 'Every stub of the method, best first.' },
    candidatesLeftOut: { type: 'integer', minimum: 0, description: 'More candidates than one answer holds.' },
  },
  additionalProperties: false,
};

const postInspect = route<object, object, CallQuestion>({
  method: 'POST',
  path: '/api/stubs/inspect',
  tag,
  summary: 'Ask why a call would be answered so',
  description: 'What each step of the selection leaves over, and what became of each stub of the method. Nothing is used up.',
  body: { schema: questionSchema, example: { service: 'Greeter', method: 'SayHello', input: [{ name: 'Ada' }] } },
  ok: { status: 200, description: 'The report.', schema: reportSchema },
  problems: ['DT_CALL_MISSED'],
  async serve({ body, session }, { simulator }) {
    const { rpc } = await durableWorld(simulator);
    const method = methodAsked(rpc, body);
    const call = callAsked(rpc, method, body, session);
    const messages = call.messages.map((bytes) => fromOwnBytes(method, bytes));
    const report = inspectCall(rpc, { method, session: call.session, headers: call.headers, messages, complete: true });
    return {
      status: 200,
      body: {
        service: method.parent.typeName,
        method: method.name,
        session: call.session,
        fallbackToMethod: false,
        error: report.matchedStubId === undefined ? 'no stub matches' : '',
        ...report,
      },
    };
  },
});

function fromOwnBytes({ input }: DescMethod, bytes: Uint8Array): Message {
  const decoded = decodeMessage(input, bytes);
  if (decoded.ok) return decoded.message;
  throw new Error(`what was just encoded cannot be decoded: ${decoded.problem}`);
}

export const matchingRoutes: readonly AdminRoute[] = [postSearch, postInspect];
