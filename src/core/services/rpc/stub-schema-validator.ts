import { Ajv2020, type AnySchemaObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';

/** A UUID of any version (RFC 9562), in either case. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The longest text that a pattern of the schema is tried on; longer ones do not match. */
const patternSubjectMax = 1000;

// On a text of megabytes, V8 runs out of stack for a pattern that repeats a group, and throws.
export function boundedPattern(pattern: string, flags: string): { readonly test: (text: string) => boolean } {
  const expression = new RegExp(pattern, flags);
  return { test: (text) => text.length <= patternSubjectMax && expression.test(text) };
}

/** What stubs are checked with; `code` is added to ajv's own options for code. */
export function makeStubAjv(allErrors: boolean, code: Options['code'] = {}): Ajv2020 {
  return new Ajv2020({
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
    code: {
      optimize: false,
      regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }),
      ...code,
    },
  });
}

/** Compiles the check of a single stub out of the schema of stub files. */
export function compileStubCheck(ajv: Ajv2020, document: AnySchemaObject): ValidateFunction {
  ajv.addSchema(document);
  return ajv.compile({ $ref: `${document.$id}#/$defs/stub` });
}
