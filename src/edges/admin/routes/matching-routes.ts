import { unreachable } from '../../../core/kernel/unreachable.ts';
import {
  inspectStubs,
  searchStubs,
  type Answered,
  type CallQuestion,
} from '../../../core/services/rpc/question.ts';
import { durableWorld } from '../durable-world.ts';
import { refusal } from '../problem.ts';
import { route, type AdminRequest, type AdminRoute, type Answer, type Schema } from '../route.ts';

const tag = 'stubs';

/** A question as it comes: the session may be that of the header. */
type AskedQuestion = Omit<CallQuestion, 'session'> & { readonly session?: string };

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

const postSearch = route<object, object, AskedQuestion>({
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
  async serve(request, { simulator }) {
    const world = await durableWorld(simulator);
    const moment = { seed: world.seed, seq: world.seq + 1, at: world.at };
    return answerOf(searchStubs(world.rpc, questionIn(request), moment));
  },
});

function questionIn({ body, session }: AdminRequest<unknown, unknown, AskedQuestion>): CallQuestion {
  return { ...body, session: body.session ?? session };
}

function answerOf(answered: Answered<object>): Answer {
  switch (answered.kind) {
    case 'answer':
      return { status: 200, body: answered.answer };
    case 'missed':
      throw refusal('DT_CALL_MISSED', answered.reason);
    case 'invalid': {
      const violations = answered.violations.map((violation) => ({ in: 'body', ...violation }));
      throw refusal('DT_REQUEST_INVALID', 'the messages are not those of the method', { violations });
    }
    default:
      return unreachable(answered);
  }
}

const stageName: Schema = { type: 'string', enum: ['session', 'times', 'headers', 'input'] };

const candidateKeys = [
  'id',
  'service',
  'method',
  'session',
  'priority',
  'times',
  'used',
  'specificity',
  'score',
  'visibleBySession',
  'withinTimes',
  'headersMatched',
  'inputMatched',
  'matched',
  'excludedBy',
  'events',
];

const candidateSchema: Schema = {
  type: 'object',
  required: candidateKeys,
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
  required: [
    'service',
    'method',
    'session',
    'fallbackToMethod',
    'error',
    'stages',
    'candidates',
    'candidatesLeftOut',
  ],
  properties: {
    service: { type: 'string', description: 'The full name.' },
    method: { type: 'string' },
    session: { type: 'string' },
    matchedStubId: { type: 'string', description: 'The stub that would answer.' },
    similarStubId: { type: 'string', description: 'When none would: the one that comes closest.' },
    fallbackToMethod: {
      type: 'boolean',
      description: 'Always false: a stub for another service never answers.',
    },
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
    candidates: {
      type: 'array',
      items: candidateSchema,
      description: 'Every stub of the method, best first.',
    },
    candidatesLeftOut: { type: 'integer', minimum: 0, description: 'More candidates than one answer holds.' },
  },
  additionalProperties: false,
};

const exampleReport = {
  service: 'helloworld.Greeter',
  method: 'SayHello',
  session: '',
  similarStubId: '6d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b10',
  fallbackToMethod: false,
  error: 'no stub matches',
  stages: [
    { name: 'session', before: 3, after: 2, removed: 1 },
    { name: 'times', before: 2, after: 2, removed: 0 },
    { name: 'headers', before: 2, after: 2, removed: 0 },
    { name: 'input', before: 2, after: 0, removed: 2 },
  ],
  candidates: [],
  candidatesLeftOut: 0,
};

const postInspect = route<object, object, AskedQuestion>({
  method: 'POST',
  path: '/api/stubs/inspect',
  tag,
  summary: 'Ask why a call would be answered so',
  description:
    'What each step of the selection leaves over, and what became of each stub of the method. Nothing is used up.',
  body: {
    schema: questionSchema,
    example: { service: 'Greeter', method: 'SayHello', input: [{ name: 'Ada' }] },
  },
  ok: { status: 200, description: 'The report.', schema: reportSchema, example: exampleReport },
  problems: ['DT_CALL_MISSED'],
  async serve(request, { simulator }) {
    const { rpc } = await durableWorld(simulator);
    const answered = inspectStubs(rpc, questionIn(request));
    if (answered.kind !== 'answer') return answerOf(answered);
    return { status: 200, body: { ...answered.answer, fallbackToMethod: false } };
  },
});

export const matchingRoutes: readonly AdminRoute[] = [postSearch, postInspect];
