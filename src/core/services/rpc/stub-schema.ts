import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import stubSchema from '../../../../schemas/stub.schema.json' with { type: 'json' };

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

/** A UUID of any version (RFC 9562), in either case. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The longest text that a pattern of the schema is tried on; longer ones do not match. */
const patternSubjectMax = 1000;

const compiled = new Map<boolean, StubSchema>();

/** The schema, compiled on first use; with `gripmock`, the one that also knows what that compatibility adds. */
export function stubSchemaFor(gripmock: boolean): StubSchema {
  let schema = compiled.get(gripmock);
  if (schema === undefined) compiled.set(gripmock, (schema = compile(gripmock)));
  return schema;
}

function compile(gripmock: boolean): StubSchema {
  const first = validator(gripmock, false);
  let all: ValidateFunction | undefined;
  return {
    accepts: (stub) => first(stub),
    brokenRules(stub) {
      all ??= validator(gripmock, true);
      all(stub);
      return all.errors ?? [];
    },
  };
}

function validator(gripmock: boolean, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors,
    verbose: allErrors,
    allowUnionTypes: true,
    // Numbers that JSON does not have are told by the walk through the texts, in better words.
    strictNumbers: false,
    // The schema is ours and a test checks it; checking it here would compile the metaschema first.
    validateSchema: false,
    meta: false,
    formats: { uuid: uuidPattern },
    // Optimised code and inlined references would take twice as long to make, and check no faster.
    inlineRefs: false,
    code: { optimize: false, regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }) },
  });
  ajv.addSchema(gripmock ? withGripmock() : stubSchema);
  return ajv.compile({ $ref: `${stubSchema.$id}#/$defs/stub` });
}

// On a text of megabytes, V8 runs out of stack for a pattern that repeats a group, and throws.
function boundedPattern(pattern: string, flags: string): { readonly test: (text: string) => boolean } {
  const expression = new RegExp(pattern, flags);
  return { test: (text) => text.length <= patternSubjectMax && expression.test(text) };
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
