import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { refusal, type RequestViolation } from './problem.ts';
import type { Schema } from './route.ts';

type Place = NonNullable<RequestViolation['in']>;

/** Checks one part of a request; gives it with defaults filled in, or throws a `ProblemError` with every violation. */
export type Check = (value: unknown) => unknown;

// Parameters arrive as text, so there `7` is a number and `true` a boolean. A body says what it means.
const parameterAjv = new Ajv2020({ allErrors: true, coerceTypes: 'array', useDefaults: true, strict: true });
const bodyAjv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });

/** For query and path parameters: unknown ones are refused, since a filter that is not heard shows too much. */
export function parameterCheck(place: 'query' | 'path', parameters: Readonly<Record<string, Schema>>): Check {
  const required = place === 'path' ? Object.keys(parameters) : [];
  const schema = { type: 'object', properties: parameters, required, additionalProperties: false };
  const validate = onFirstUse(() => parameterAjv.compile(schema));
  return (value) => checked(validate(), { ...(value as object) }, place);
}

export function bodyCheck(schema: Schema): Check {
  const validate = onFirstUse(() => bodyAjv.compile(schema));
  return (value) => checked(validate(), value, 'body');
}

/** Compiling the schemas of all routes takes longer than the rest of a start, and most are never asked for. */
function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function checked(validate: ValidateFunction, value: unknown, place: Place): unknown {
  if (validate(value)) return value;
  const violations = (validate.errors ?? []).map((error) => violationOf(error, place));
  throw refusal('DT_REQUEST_INVALID', `${violations.length} rules are broken in the ${place}`, {
    violations,
  });
}

function violationOf(error: ErrorObject, place: Place): RequestViolation {
  const {
    additionalProperty,
    allowedValues,
    const: only,
  } = error.params as Readonly<Record<string, unknown>>;
  if (typeof additionalProperty === 'string') {
    return {
      in: place,
      pointer: `${error.instancePath}/${escaped(additionalProperty)}`,
      message: 'is not known here',
    };
  }
  const choice = allowedValues ?? (only === undefined ? undefined : [only]);
  const message = `${error.message ?? 'is not valid'}${choice === undefined ? '' : `: ${JSON.stringify(choice)}`}`;
  return { in: place, pointer: error.instancePath, message };
}

/** RFC 6901. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
