import { stubSchemaDocument } from '../../core/services/rpc/stub-schema.ts';
import type { Schema } from './route.ts';

// The description takes the schema that validates, so the two cannot disagree.

const definitions: Readonly<Record<string, Schema>> = stubSchemaDocument.$defs;

/** The schemas of a stub and its parts, each under a name of its own: `Stub`, `StubInputMatcher`… */
export const stubSchemas: readonly Schema[] = Object.entries(definitions).map(([name, schema]) => ({
  $id: componentName(name),
  ...(withComponentReferences(schema) as Schema),
}));

export const stubReference: Schema = { $ref: 'Stub#' };

/** One stub, or a list of at least one. */
export const stubPayloadSchema: Schema = {
  oneOf: [stubReference, { type: 'array', minItems: 1, items: stubReference }],
};

const stubDefinition = withComponentReferences(definitions['stub'] ?? {}) as Schema & {
  readonly properties: object;
};

/** A stub as answers show it: with its id, and with what only answers have. */
export const shownStubSchema: Schema = {
  ...stubDefinition,
  $id: 'ShownStub',
  description:
    'A stub with what the server knows of it. It can be sent back as it is: what only answers have is not read.',
  required: ['id', 'service', 'method', 'output', 'used', 'uses', 'source'],
  properties: {
    ...stubDefinition.properties,
    used: { type: 'boolean', description: 'It has answered, in the session that asks or in any.' },
    uses: { type: 'integer', minimum: 0, description: 'How often.' },
    source: { type: 'string', enum: ['file', 'api', 'effect'], description: 'Where it came from.' },
    sourceFile: { type: 'string' },
    sourceLine: { type: 'integer', minimum: 1 },
    sourceStub: { type: 'string', description: 'The stub whose effect made it.' },
  },
};

function componentName(name: string): string {
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return capital.startsWith('Stub') ? capital : `Stub${capital}`;
}

function withComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentReferences);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    if (key !== '$ref' || typeof item !== 'string') return [key, withComponentReferences(item)] as const;
    return [key, `${componentName(item.replace('#/$defs/', ''))}#`] as const;
  });
  return Object.fromEntries(entries);
}
