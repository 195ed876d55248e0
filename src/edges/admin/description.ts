import type { FastifySchema } from 'fastify';
import { jsonTypes } from './payload.ts';
import { problemKinds, problemType, type ProblemKind } from './problem.ts';
import { sharedProblems } from './shared.ts';
import type { AdminRoute, RequestBody, Schema, Success } from './route.ts';

/** What the OpenAPI description says of a route, in the form that @fastify/swagger reads. */
export function describe(route: AdminRoute): FastifySchema {
  const { body, ok } = route;
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    operationId: operationId(route),
    headers: sessionParameters,
    ...(route.query !== undefined && { querystring: { type: 'object', properties: route.query } }),
    ...(route.params !== undefined && {
      params: { type: 'object', properties: route.params, required: Object.keys(route.params) },
    }),
    ...(body !== undefined && { body: describedBody(body) }),
    response: { [ok.status]: describedSuccess(ok), ...describedProblems(problemsOf(route)) },
  };
}

/** Every kind that a route may answer with. */
export function problemsOf(route: AdminRoute): readonly ProblemKind[] {
  const ofBody: readonly ProblemKind[] =
    route.body === undefined ? [] : ['DT_BODY_TOO_LARGE', 'DT_MEDIA_TYPE_REFUSED'];
  return [...new Set([...sharedProblems, ...ofBody, ...(route.problems ?? [])])];
}

/** `GET /api/stubs/:id` becomes `getStubsById`. */
function operationId({ method, path }: AdminRoute): string {
  const words = path
    .replace(/^\/api\//, '')
    .split(/[/.]/)
    .map((word) => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word)));
  return method.toLowerCase() + words.join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const sessionParameters: Schema = {
  type: 'object',
  properties: {
    'x-doubletake-session': {
      type: 'string',
      description: 'The session that the request acts in; `x-gripmock-session` means the same. Absent: none.',
    },
  },
};

function describedBody({ mediaTypes = jsonTypes, schema, example }: RequestBody): Schema {
  const content = mediaTypes.map((type) => [type, { schema: withExample(schema, example) }] as const);
  return { content: Object.fromEntries(content) };
}

function withExample(schema: Schema, example: unknown): Schema {
  return example === undefined ? schema : { ...schema, examples: [example] };
}

function describedSuccess({ description, schema, headers, example }: Success): Schema {
  return {
    description,
    ...(headers !== undefined && { headers }),
    ...(schema === undefined
      ? { type: 'null' }
      : { content: { 'application/json': { schema, ...(example !== undefined && { example }) } } }),
  };
}

function describedProblems(kinds: readonly ProblemKind[]): Readonly<Record<string, Schema>> {
  const byStatus = Map.groupBy(kinds, (kind) => problemKinds[kind].status);
  const responses = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, group]) => {
      const description = group.map((kind) => `${problemKinds[kind].title} (\`${kind}\`)`).join('; ');
      const [first = 'DT_INTERNAL'] = group;
      return [
        status,
        {
          description,
          content: {
            'application/problem+json': { schema: { $ref: 'Problem#' }, example: exampleProblem(first) },
          },
        },
      ] as const;
    });
  return Object.fromEntries(responses);
}

function exampleProblem(kind: ProblemKind): unknown {
  return {
    type: problemType(kind),
    ...problemKinds[kind],
    detail: 'What exactly, in a sentence.',
    code: kind,
  };
}
