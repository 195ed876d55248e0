import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import stubSchema from '../../../../schemas/stub.schema.json' with { type: 'json' };
import { stubSchemaCheck } from './stub-schema-check.ts';
import { compileStubCheck, makeStubAjv } from './stub-schema-validator.ts';

/** `schemas/stub.schema.json` as it stands. */
export const stubSchemaDocument = stubSchema;

/** A rule of the schema that a stub breaks, as ajv tells it. */
export type BrokenRule = ErrorObject;

/** Checks single stubs against `schemas/stub.schema.json`. */
export interface StubSchema {
  /** Stops at the first broken rule; fast. */
  accepts(stub: unknown): boolean;
  /** All broken rules. */
  brokenRules(stub: unknown): readonly BrokenRule[];
}

const compiled = new Map<boolean, StubSchema>();

/** The schema, compiled on first use; with `gripmock`, the one that also knows what that compatibility adds. */
export function stubSchemaFor(gripmock: boolean): StubSchema {
  let schema = compiled.get(gripmock);
  if (schema === undefined) compiled.set(gripmock, (schema = compile(gripmock)));
  return schema;
}

function compile(gripmock: boolean): StubSchema {
  const document = gripmock ? withGripmock() : stubSchema;
  const first = gripmock ? compileStubCheck(makeStubAjv(false), document) : stubSchemaCheck();
  let all: ValidateFunction | undefined;
  return {
    accepts: (stub) => first(stub),
    brokenRules(stub) {
      all ??= compileStubCheck(makeStubAjv(true), document);
      all(stub);
      return all.errors ?? [];
    },
  };
}

/** What stub files of the same family hold beyond the specification. */
function withGripmock(): Record<string, unknown> {
  const { $defs } = stubSchema;
  const { delay, error, code, headers } = $defs.output.properties;
  const control = {
    description: 'How this message goes out: after a delay, or as the end of the stream.',
    type: 'object',
    additionalProperties: false,
    properties: { delay, error, code },
  };
  const trailers = { ...headers, description: 'Trailing metadata.' };
  return {
    ...stubSchema,
    $defs: {
      ...$defs,
      output: { ...$defs.output, properties: { ...$defs.output.properties, trailers } },
      streamMessage: { ...$defs.streamMessage, properties: { _gripmock: control } },
    },
  };
}
