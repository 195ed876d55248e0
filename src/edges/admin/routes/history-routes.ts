import {
  countCalls,
  forgottenCalls,
  newestCalls,
  type CallFilter,
} from '../../../core/services/rpc/history.ts';
import { callJson } from '../../../core/services/rpc/call-json.ts';
import { adminLimits } from '../limits.ts';
import { durableWorld } from '../durable-world.ts';
import { refusal } from '../problem.ts';
import { route, type AdminRoute, type Schema } from '../route.ts';
import { okSchema, pageParameters, seqSchema, timeSchema, timeText, totalHeaderSchema } from '../shared.ts';

const tag = 'history';

export const callRecordSchema: Schema = {
  $id: 'CallRecord',
  type: 'object',
  required: ['seq', 'service', 'method', 'session', 'timestamp', 'requests', 'responses', 'responseHeaders'],
  properties: {
    seq: { ...seqSchema, description: 'The entry that opened the call; see `/api/explain/{seq}`.' },
    service: { type: 'string', description: 'The full name.' },
    method: { type: 'string' },
    session: { type: 'string', description: 'Empty: none.' },
    stubId: { type: 'string', description: 'The stub that answered; absent when none did.' },
    timestamp: timeSchema,
    requests: {
      type: 'array',
      description: 'Messages as JSON; one that cannot be decoded as `{"$bytes": base64}`.',
      items: {},
    },
    responses: { type: 'array', items: {} },
    responseHeaders: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers and trailers.',
    },
    code: { type: 'integer', minimum: 0, description: 'The gRPC status; absent while the call is open.' },
    error: { type: 'string', description: 'The status message; empty when there is none.' },
    elapsedMs: { type: 'integer', minimum: 0, description: "On the log's clock." },
  },
  additionalProperties: false,
};

const exampleCall = {
  seq: 7,
  service: 'helloworld.Greeter',
  method: 'SayHello',
  session: '',
  stubId: '6d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b10',
  timestamp: '2026-01-01T00:00:00.000Z',
  requests: [{ name: 'Ada' }],
  responses: [{ message: 'Hello Ada' }],
  responseHeaders: {},
  code: 0,
  error: '',
  elapsedMs: 0,
};

interface HistoryQuery {
  readonly service?: string;
  readonly method?: string;
  readonly error?: boolean;
  readonly offset: number;
  readonly limit: number;
}

const getHistory = route<HistoryQuery, object, undefined>({
  method: 'GET',
  path: '/api/history',
  tag,
  summary: 'List calls, newest first',
  description:
    `The newest ${adminLimits.historyCallsMax} calls, or fewer when their messages are large; \`x-doubletake-forgotten\` says how ` +
    'many older ones are in the log alone. With a session header: only calls of that session.',
  query: {
    service: { type: 'string', description: 'The full name of a service, or its name without the package.' },
    method: { type: 'string' },
    error: { type: 'boolean', description: 'Only calls that ended with another status than OK.' },
    ...pageParameters(adminLimits.pageItemsMax),
  },
  ok: {
    status: 200,
    description: 'A page of calls.',
    schema: { type: 'array', items: { $ref: 'CallRecord#' } },
    headers: { ...totalHeaderSchema, 'x-doubletake-forgotten': { type: 'string' } },
    example: [exampleCall],
  },
  async serve({ query, session }, { simulator, history }) {
    const shown = await history.upToDate();
    const { service, method, error, offset, limit } = query;
    const calls = newestCalls(shown, {
      ...scope(session),
      ...(service !== undefined && { service }),
      ...(method !== undefined && { method }),
      ...(error !== undefined && { failed: error }),
    });
    const { descriptors } = (await durableWorld(simulator)).rpc;
    const page = calls.slice(offset, offset + limit);
    return {
      status: 200,
      headers: {
        'x-total-count': String(calls.length),
        'x-doubletake-forgotten': String(forgottenCalls(shown, scope(session).session)),
      },
      body: page.map((call) => ({ ...callJson(call, descriptors), timestamp: timeText(call.openedAt) })),
    };
  },
});

/** The calls that a session header asks for: its own; without one, all. */
function scope(session: string): Pick<CallFilter, 'session'> {
  return session === '' ? {} : { session };
}

const deleteHistory = route<object, object, undefined>({
  method: 'DELETE',
  path: '/api/history',
  tag,
  summary: 'Let history start anew',
  description:
    'The log keeps all entries; only what `/api/history` shows and `/api/verify` counts starts after this moment. With a ' +
    'session header: for that session alone. A server that is started again shows the whole log again.',
  ok: {
    status: 200,
    description: 'How many calls are no longer shown.',
    schema: {
      type: 'object',
      required: ['deletedCount'],
      properties: { deletedCount: { type: 'integer', minimum: 0 }, session: { type: 'string' } },
      additionalProperties: false,
    },
    example: { deletedCount: 12 },
  },
  async serve({ session }, { history }) {
    const { session: only } = scope(session);
    const deletedCount = await history.clear(only);
    return { status: 200, body: { deletedCount, ...(only !== undefined && { session: only }) } };
  },
});

interface VerifyBody {
  readonly service: string;
  readonly method: string;
  readonly expectedCount: number;
}

const postVerify = route<object, object, VerifyBody>({
  method: 'POST',
  path: '/api/verify',
  tag,
  summary: 'Check how often a method was called',
  description:
    'Every call counts that was opened since history started, however it ended. With a session header: only calls of that session.',
  body: {
    schema: {
      type: 'object',
      required: ['service', 'method', 'expectedCount'],
      properties: {
        service: {
          type: 'string',
          minLength: 1,
          description: 'The full name, or the name without the package.',
        },
        method: { type: 'string', minLength: 1 },
        expectedCount: { type: 'integer', minimum: 0 },
      },
      additionalProperties: false,
    },
    example: { service: 'helloworld.Greeter', method: 'SayHello', expectedCount: 2 },
  },
  ok: {
    status: 200,
    description: 'It was called that often.',
    schema: okSchema,
    example: { message: 'ok', time: '2026-01-01T00:00:00.000Z' },
  },
  problems: ['DT_VERIFY_FAILED'],
  async serve({ body, session }, { simulator, history }) {
    const { service, method, expectedCount: expected } = body;
    const actual = countCalls(await history.upToDate(), { ...scope(session), service, method });
    if (actual !== expected) {
      const message = `expected ${service}/${method} to be called ${times(expected)}, and it was called ${times(actual)}`;
      throw refusal('DT_VERIFY_FAILED', message, { message, expected, actual });
    }
    return { status: 200, body: { message: 'ok', time: timeText(simulator.world().at) } };
  },
});

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

export const historyRoutes: readonly AdminRoute[] = [getHistory, deleteHistory, postVerify];
