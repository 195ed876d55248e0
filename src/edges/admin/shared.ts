import type { ProblemKind } from './problem.ts';
import type { Schema } from './route.ts';

/** What every route may refuse, whatever it does. */
export const sharedProblems: readonly ProblemKind[] = [
  'DT_REQUEST_MALFORMED',
  'DT_REQUEST_INVALID',
  'DT_TOKEN_REQUIRED',
  'DT_ORIGIN_REFUSED',
  'DT_HOST_REFUSED',
  'DT_INTERNAL',
  'DT_LOG_UNAVAILABLE',
];

export const violationSchema: Schema = {
  $id: 'Violation',
  type: 'object',
  description: 'A broken rule: where, what was expected, what came.',
  required: ['pointer', 'message'],
  properties: {
    in: {
      type: 'string',
      enum: ['body', 'query', 'path'],
      description: 'The part of the request; absent means the body.',
    },
    pointer: { type: 'string', description: 'A JSON pointer (RFC 6901) into that part.' },
    message: { type: 'string' },
    file: { type: 'string' },
    line: { type: 'integer', minimum: 1 },
  },
  additionalProperties: false,
};

export const problemDetailsSchema: Schema = {
  $id: 'Problem',
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'A URN of the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was expected, what came, and where.' },
    code: { type: 'string', description: 'Stays the same over versions; see docs/administration.md.' },
    violations: { type: 'array', items: { $ref: 'Violation#' }, description: 'Every broken rule.' },
  },
  additionalProperties: true,
};

export const timeSchema: Schema = {
  type: 'string',
  description: "A moment of the log's clock (RFC 3339, UTC).",
  examples: ['2026-01-01T00:00:00.000Z'],
};

export const okSchema: Schema = {
  type: 'object',
  required: ['message', 'time'],
  properties: { message: { type: 'string' }, time: timeSchema },
  additionalProperties: false,
};

export const seqSchema: Schema = { type: 'integer', minimum: 1, description: 'The number of an entry.' };

export const entryHeaderSchema: Readonly<Record<string, Schema>> = {
  'x-doubletake-entry': { type: 'string', description: 'The number of the entry that this request became.' },
};

export const totalHeaderSchema: Readonly<Record<string, Schema>> = {
  'x-total-count': { type: 'string', description: 'How many there are without paging.' },
};

/** `offset` and `limit` of a page. */
export function pageParameters(itemsMax: number): Readonly<Record<string, Schema>> {
  return {
    limit: { type: 'integer', minimum: 1, maximum: itemsMax, default: itemsMax },
    offset: { type: 'integer', minimum: 0, default: 0 },
  };
}

/** RFC 3339 with milliseconds. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}
