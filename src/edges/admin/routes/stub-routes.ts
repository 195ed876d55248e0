import type { LogEntry } from '../../../core/simulator/events.ts';
import {
  listStubs,
  stubJson,
  withoutResponseOnly,
  type StubFilter,
} from '../../../core/services/rpc/catalogue.ts';
import type { StubsRemoved } from '../../../core/services/rpc/events.ts';
import type { Stub, StubDefinition } from '../../../core/services/rpc/stub.ts';
import { maskStubCredentials } from '../../../core/services/rpc/stub-credentials.ts';
import { validateStubs } from '../../../core/services/rpc/stub-validation.ts';
import { stubsLoadedInput } from '../../../core/services/rpc/stubs-loaded.ts';
import { getStub } from '../../../core/services/rpc/stubs.ts';
import { submitted } from '../../../core/simulator/simulator.ts';
import type { World } from '../../../core/simulator/world.ts';
import { adminLimits } from '../limits.ts';
import { jsonTypes, yamlTypes } from '../payload.ts';
import { refusal } from '../problem.ts';
import {
  entryHeaders,
  route,
  type AdminContext,
  type AdminRoute,
  type Answer,
  type Schema,
} from '../route.ts';
import { entryHeaderSchema, pageParameters, totalHeaderSchema } from '../shared.ts';
import { stubPayloadSchema } from '../stub-schema.ts';
import { durableWorld } from '../durable-world.ts';

const tag = 'stubs';
const idsSchema: Schema = { type: 'array', items: { type: 'string' } };
const exampleId = '6d0f5c0e-0a52-4f0c-9c5e-3a4f6f1d2b10';
const idParameter = { id: { type: 'string', description: 'The id of a stub.' } };

const exampleStub = {
  id: exampleId,
  service: 'helloworld.Greeter',
  method: 'SayHello',
  input: { equals: { name: 'Ada' } },
  output: { data: { message: 'Hello Ada' } },
};
const shownExample = { ...exampleStub, used: true, uses: 2, source: 'api' };

const shownStubs = {
  schema: { type: 'array', items: { $ref: 'ShownStub#' } },
  headers: totalHeaderSchema,
  example: [shownExample],
};

const postStubs = route<object, object, unknown>({
  method: 'POST',
  path: '/api/stubs',
  tag,
  summary: 'Load stubs',
  description:
    'One stub or a list. A stub with a known id replaces that stub and keeps its place; without an id it gets one. ' +
    'All of them are loaded, or none. A stub that names no session gets that of the header.',
  body: {
    mediaTypes: [...jsonTypes, ...yamlTypes],
    schema: stubPayloadSchema,
    example: exampleStub,
    checkedElsewhere: true,
    large: true,
  },
  ok: {
    status: 200,
    description: 'The ids of the stubs, in the order of the payload.',
    schema: idsSchema,
    example: [exampleId],
    headers: {
      ...entryHeaderSchema,
      'x-doubletake-warnings': {
        type: 'string',
        description: 'How many warnings the entry holds; absent when none.',
      },
    },
  },
  problems: ['DT_STUB_INVALID'],
  async serve({ body, session }, { simulator }) {
    const definitions = validDefinitions(body, simulator.world());
    const input = stubsLoadedInput({ definitions, source: { from: 'api' }, session });
    return loaded(await submitted(simulator, input));
  },
});

function loaded(entry: LogEntry): Answer {
  for (const outcome of entry.outcomes) {
    if (outcome.kind === 'StubsRefused') throw stubInvalid(outcome.violations);
    if (outcome.kind !== 'StubsAccepted') continue;
    const warnings = outcome.warnings.length;
    const headers = {
      ...entryHeaders(entry),
      ...(warnings > 0 && { 'x-doubletake-warnings': String(warnings) }),
    };
    return { status: 200, headers, body: outcome.ids };
  }
  throw new Error(`entry ${entry.seq} neither accepts nor refuses its stubs`);
}

/** The definitions of a payload, or a `ProblemError` with every violation. */
function validDefinitions(body: unknown, world: World): readonly StubDefinition[] {
  const validation = validateStubs(withoutResponseOnly(body), {
    compat: world.rpc.gripmock ? ['gripmock'] : [],
  });
  if (!validation.ok) throw stubInvalid(validation.violations);
  return validation.definitions;
}

function stubInvalid(violations: readonly unknown[]): Error {
  const count = violations.length === 1 ? '1 rule is' : `${violations.length} rules are`;
  return refusal('DT_STUB_INVALID', `${count} broken; nothing was loaded`, { violations });
}

interface StubsQuery {
  readonly service?: string;
  readonly method?: string;
  readonly session?: string;
  readonly source?: 'file' | 'api' | 'rest' | 'effect';
  readonly q?: string;
  readonly offset: number;
  readonly limit: number;
}

const stubsQuery = {
  service: { type: 'string', description: 'The full name of a service, or its name without the package.' },
  method: { type: 'string' },
  session: { type: 'string', description: 'Only stubs of this session; empty means the global ones.' },
  source: { type: 'string', enum: ['file', 'api', 'rest', 'effect'], description: '`rest` means `api`.' },
  q: { type: 'string', description: 'A part of service, method or id, in any case.' },
  ...pageParameters(adminLimits.pageItemsMax),
} satisfies Readonly<Record<string, Schema>>;

const getStubs = route<StubsQuery, object, undefined>({
  method: 'GET',
  path: '/api/stubs',
  tag,
  summary: 'List stubs',
  description:
    'In order of first load. With a session header: what that session sees, its own stubs and the global ones.',
  query: stubsQuery,
  ok: { status: 200, description: 'A page of stubs.', ...shownStubs },
  serve: ({ query, session }, context) => pageOfStubs(context, session, query, {}),
});

function usedRoute(path: '/api/stubs/used' | '/api/stubs/unused', used: boolean): AdminRoute {
  return route<StubsQuery, object, undefined>({
    method: 'GET',
    path,
    tag,
    summary: used ? 'List stubs that have answered' : 'List stubs that have not answered',
    description: 'With a session header: that have answered in that session, of those it sees.',
    query: stubsQuery,
    ok: { status: 200, description: 'A page of stubs.', ...shownStubs },
    serve: ({ query, session }, context) => pageOfStubs(context, session, query, { used }),
  });
}

async function pageOfStubs(
  { simulator }: AdminContext,
  session: string,
  query: StubsQuery,
  filter: StubFilter,
): Promise<Answer> {
  const { rpc } = await durableWorld(simulator);
  const { service, method, session: ofSession, source, q } = query;
  const stubs = listStubs(rpc, {
    ...filter,
    ...(service !== undefined && { service }),
    ...(method !== undefined && { method }),
    ...(ofSession !== undefined && { session: ofSession }),
    ...(source !== undefined && { from: source === 'rest' ? 'api' : source }),
    ...(q !== undefined && { text: q }),
    ...(session !== '' && { visibleTo: session }),
  });
  const shown = stubs.slice(query.offset, query.offset + query.limit);
  const counted = session === '' ? undefined : session;
  return {
    status: 200,
    headers: { 'x-total-count': String(stubs.length) },
    body: shown.map((stub) => stubJson(rpc, stub, counted)),
  };
}

const getStubById = route<object, { readonly id: string }, undefined>({
  method: 'GET',
  path: '/api/stubs/:id',
  tag,
  summary: 'Get a stub',
  description: 'With a session header: only one that the session sees.',
  params: idParameter,
  ok: { status: 200, description: 'The stub.', schema: { $ref: 'ShownStub#' }, example: shownExample },
  problems: ['DT_NOT_FOUND'],
  async serve({ params, session }, { simulator }) {
    const { rpc } = await durableWorld(simulator);
    const stub = getStub(rpc.stubs, params.id);
    if (stub === undefined || (session !== '' && stub.session !== '' && stub.session !== session)) {
      throw noSuchStubs([params.id]);
    }
    return { status: 200, body: stubJson(rpc, stub, session === '' ? undefined : session) };
  },
});

const deleteStubById = route<object, { readonly id: string }, undefined>({
  method: 'DELETE',
  path: '/api/stubs/:id',
  tag,
  summary: 'Remove a stub',
  description:
    'With a session header: only one of that session; a session cannot remove what all others see.',
  params: idParameter,
  ok: { status: 204, description: 'It is gone.', headers: entryHeaderSchema },
  problems: ['DT_NOT_FOUND'],
  serve: ({ params, session }, context) => removeStubs(context, [params.id], session),
});

const deleteStubs = route<object, object, undefined>({
  method: 'DELETE',
  path: '/api/stubs',
  tag,
  summary: 'Remove all stubs',
  description: 'With a session header: all of that session, and no other.',
  ok: { status: 204, description: 'They are gone.', headers: entryHeaderSchema },
  serve: ({ session }, { simulator }) => remove(simulator, session === '' ? {} : { session }),
});

const postBatchDelete = route<object, object, readonly string[]>({
  method: 'POST',
  path: '/api/stubs/batchDelete',
  tag,
  summary: 'Remove several stubs',
  description:
    'All of them or, when one is not there, none. With a session header: only stubs of that session.',
  body: { schema: idsSchema, example: [exampleId] },
  ok: { status: 204, description: 'They are gone.', headers: entryHeaderSchema },
  problems: ['DT_NOT_FOUND'],
  serve: ({ body, session }, context) => removeStubs(context, body, session),
});

function removeStubs({ simulator }: AdminContext, ids: readonly string[], session: string): Promise<Answer> {
  // The world that the input will be decided in, which may be ahead of what is shown.
  const { stubs } = simulator.world().rpc;
  const isThere = (stub: Stub | undefined) =>
    stub !== undefined && (session === '' || stub.session === session);
  const missing = ids.filter((id) => !isThere(getStub(stubs, id)));
  if (missing.length > 0) throw noSuchStubs(missing);
  return remove(simulator, session === '' ? { ids } : { ids, session });
}

async function remove(
  simulator: AdminContext['simulator'],
  conditions: Omit<StubsRemoved, 'kind'>,
): Promise<Answer> {
  const entry = await submitted(simulator, { kind: 'StubsRemoved', ...conditions });
  return { status: 204, headers: entryHeaders(entry) };
}

function noSuchStubs(ids: readonly string[]): Error {
  const named = ids.slice(0, 10).join(', ');
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
  return refusal('DT_NOT_FOUND', `no stub here has the id ${named}${more}`);
}

const postValidate = route<object, object, unknown>({
  method: 'POST',
  path: '/api/stubs/validate',
  tag,
  summary: 'Check stubs without loading them',
  body: {
    mediaTypes: [...jsonTypes, ...yamlTypes],
    schema: stubPayloadSchema,
    example: exampleStub,
    checkedElsewhere: true,
    large: true,
  },
  ok: {
    status: 200,
    description: 'The stubs, as they would be loaded.',
    schema: { type: 'array', items: { $ref: 'Stub#' } },
    example: [exampleStub],
  },
  problems: ['DT_STUB_INVALID'],
  serve: ({ body }, { simulator }) => ({
    status: 200,
    body: validDefinitions(body, simulator.world()).map(maskStubCredentials),
  }),
});

export const stubRoutes: readonly AdminRoute[] = [
  postStubs,
  getStubs,
  deleteStubs,
  usedRoute('/api/stubs/used', true),
  usedRoute('/api/stubs/unused', false),
  getStubById,
  deleteStubById,
  postBatchDelete,
  postValidate,
];
