import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { durationPattern } from '../../src/core/kernel/duration.ts';
import { validateStubs } from '../../src/core/services/rpc/stub-validation.ts';
import { uuidPattern } from '../../src/core/services/rpc/stub-schema-validator.ts';

interface Schema {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

const schema = JSON.parse(
  readFileSync(new URL('../../schemas/stub.schema.json', import.meta.url), 'utf8'),
) as Schema & {
  readonly $defs: Readonly<Record<string, Schema>>;
};

/** Every schema that names properties, and each property, by its place. */
function propertiesOf(node: unknown, place = ''): readonly (readonly [string, Schema])[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties } = node as Schema;
  const own = Object.entries(place.endsWith('if') ? {} : (properties ?? {})).map(
    ([name, property]) => [`${place}/${name}`, property] as const,
  );
  const below = Object.entries(node)
    .filter(([key]) => key !== 'examples')
    .flatMap(([key, value]) => propertiesOf(value, `${place}/${key}`));
  return [...own, ...below];
}

const ajv = new Ajv2020({ allowUnionTypes: true, formats: { uuid: uuidPattern } });
ajv.addSchema(schema);

test('it is a schema of draft 2020-12, in strict mode', () => {
  expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(ajv.getSchema(String(schema['$id']))).toBeTypeOf('function');
});

describe('every property has a description that ends as a sentence does', () => {
  const properties = propertiesOf(schema);

  test('and there are many', () => {
    expect(properties.length).toBeGreaterThan(40);
  });

  test.each(properties)('%s', (_place, property) => {
    const target =
      property.$ref === undefined ? property : schema.$defs[property.$ref.replace('#/$defs/', '')];
    expect(property.description ?? target?.description).toMatch(/^[A-Za-z].*[.;]$/);
  });
});

test('every definition has a description', () => {
  for (const [name, definition] of Object.entries(schema.$defs))
    expect([name, typeof definition.description]).toEqual([name, 'string']);
});

describe('every example is valid where it stands', () => {
  const roots = [['the whole', schema] as const, ...Object.entries(schema.$defs), ...propertiesOf(schema)];
  const examples = roots.flatMap(([place, node]) =>
    (node.examples ?? []).map((example) => ({ place, node, example })),
  );

  test.each(examples)('$place $example', ({ node, example }) => {
    const { $id: _, ...rest } = node as Record<string, unknown>;
    const validate = ajv.compile(node === schema ? { $ref: schema['$id'] } : { ...absolute(rest) });
    validate(example);
    expect(validate.errors ?? []).toEqual([]);
  });
});

/** The same schema with references that hold from anywhere. */
function absolute(node: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(node).replaceAll('"#/$defs/', `"${String(schema['$id'])}#/$defs/`),
  ) as Record<string, unknown>;
}

test('the examples of the whole pass all of our validation', () => {
  expect(schema.examples).toHaveLength(2);
  for (const example of schema.examples ?? [])
    expect(validateStubs(example, { compat: [] })).toMatchObject({ ok: true, warnings: [] });
});

test('the pattern of a delay is that of durations', () => {
  expect(schema.$defs['output']?.properties?.['delay']?.['pattern']).toBe(durationPattern);
});

test('the editor refuses what the specification refuses', () => {
  const validate = ajv.getSchema(String(schema['$id']));
  const stub = { service: 'a', method: 'b', output: { code: 0 } };
  expect(validate?.(stub)).toBe(true);
  expect(validate?.([stub])).toBe(true);
  expect(validate?.([])).toBe(false);
  expect(validate?.({ ...stub, input: { equals: {} }, inputs: [] })).toBe(false);
  expect(validate?.({ ...stub, effects: [{ action: 'upsert', id: 'x' }] })).toBe(false);
});
