import { explainEntry } from '../../../core/simulator/explain.ts';
import { refusal } from '../problem.ts';
import { route, type AdminRoute, type Schema } from '../route.ts';
import { seqSchema } from '../shared.ts';
import { entryAt } from './log-routes.ts';

const fieldSchema: Schema = {
  type: 'object',
  required: ['rule', 'path', 'expected', 'actual', 'ok'],
  properties: {
    rule: { type: 'string', enum: ['equals', 'contains', 'matches', 'glob'] },
    anyOf: {
      type: 'integer',
      minimum: 0,
      description: 'The item of `anyOf` that the rule is of; absent for rules that always count.',
    },
    path: { type: 'string', description: 'In the message or the headers.' },
    expected: {},
    actual: {},
    ok: { type: 'boolean' },
    hint: { type: 'string', description: 'What a person may have overlooked.' },
  },
  additionalProperties: true,
};

const candidateSchema: Schema = {
  type: 'object',
  required: ['stub', 'source', 'priority', 'matched', 'uses', 'times', 'fields', 'output'],
  properties: {
    stub: { type: 'string', description: 'The id of a stub.' },
    source: {
      type: 'object',
      required: ['from'],
      properties: {
        from: { type: 'string', enum: ['file', 'api', 'effect'] },
        file: { type: 'string' },
        line: { type: 'integer', minimum: 1 },
        by: { type: 'string', description: 'The stub whose effect made it.' },
      },
      additionalProperties: false,
    },
    priority: { type: 'integer' },
    matched: { type: 'boolean' },
    unavailable: { type: 'string', enum: ['exhausted'] },
    uses: { type: 'integer', minimum: 0 },
    times: { type: 'integer', minimum: 0, description: '0: without limit.' },
    fields: {
      type: 'array',
      items: fieldSchema,
      description: 'Every rule against what came, header rules first.',
    },
    output: { description: 'As written.' },
  },
  additionalProperties: false,
};

const explanationSchema: Schema = {
  type: 'object',
  required: ['seq', 'at', 'call'],
  properties: {
    seq: { ...seqSchema, description: 'The entry in which a stub was chosen or missed.' },
    at: { type: 'integer' },
    call: {
      type: 'object',
      required: ['call', 'method', 'session', 'verdict', 'funnel', 'messages', 'others'],
      properties: {
        call: { ...seqSchema, description: 'The entry that opened the call.' },
        method: { type: 'string', description: '`package.Service/Method`.' },
        session: { type: 'string' },
        verdict: { type: 'string', enum: ['answered', 'missed'] },
        funnel: {
          type: 'array',
          description: 'How many stubs were left after each question.',
          items: {
            type: 'object',
            required: ['step', 'count'],
            properties: { step: { type: 'string' }, count: { type: 'integer', minimum: 0 } },
            additionalProperties: false,
          },
        },
        messages: { type: 'array', items: {}, description: 'What the client had said, decoded.' },
        chosen: { ...candidateSchema, description: 'The stub that answered.' },
        others: {
          type: 'array',
          items: candidateSchema,
          description: 'What stood behind it, or came closest; best first.',
        },
      },
      additionalProperties: false,
    },
    earlier: {
      type: 'object',
      description: 'The same request, answered earlier, and what changed the stubs since.',
      required: ['seq', 'stub', 'changes'],
      properties: {
        seq: seqSchema,
        stub: { type: 'string' },
        changes: {
          type: 'array',
          items: {
            type: 'object',
            required: ['seq', 'kind'],
            properties: { seq: seqSchema, kind: { type: 'string' } },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

const exampleExplanation = {
  seq: 7,
  at: 1767225600000,
  call: {
    call: 7,
    method: 'helloworld.Greeter/SayHello',
    session: '',
    verdict: 'missed',
    funnel: [
      { step: 'stubs', count: 12 },
      { step: 'this method', count: 3 },
      { step: 'message', count: 0 },
    ],
    messages: [{ name: 'Ada' }],
    others: [],
  },
};

const getExplanation = route<object, { readonly seq: number }, undefined>({
  method: 'GET',
  path: '/api/explain/:seq',
  tag: 'log',
  summary: 'Why a call got its answer, or none',
  description: 'Worked out from the log, for any entry of a call.',
  params: { seq: seqSchema },
  ok: {
    status: 200,
    description: 'The explanation.',
    schema: explanationSchema,
    example: exampleExplanation,
  },
  problems: ['DT_NOT_FOUND', 'DT_NOT_A_CALL'],
  async serve({ params }, { simulator }) {
    const { seq } = await entryAt(simulator, params.seq);
    const explanation = await explainEntry(simulator, seq);
    if (explanation !== undefined) return { status: 200, body: explanation };
    throw refusal('DT_NOT_A_CALL', `entry ${seq} is of no call that a stub was asked for`);
  },
});

export const explainRoutes: readonly AdminRoute[] = [getExplanation];
