import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { namedSchemas } from '../../../src/edges/admin/openapi.ts';
import { problemKinds, type ProblemKind } from '../../../src/edges/admin/problem.ts';
import { problemsOf } from '../../../src/edges/admin/description.ts';
import { adminLimits } from '../../../src/edges/admin/limits.ts';
import { adminRoutes } from '../../../src/edges/admin/routes/all-routes.ts';
import { runAdmin } from './running-admin.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}

interface Description {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

async function description(): Promise<Description> {
  const { ask } = await runAdmin();
  return (await ask('GET', '/api/openapi.json')).body;
}

function operations({ paths }: Description): readonly (readonly [string, Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
}

const routeNames = adminRoutes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

describe('the OpenAPI description', () => {
  it('is of version 3.1 and has every route, and nothing else', async () => {
    const document = await description();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(
      operations(document)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...routeNames].sort());
  });

  it('gives every operation a name of its own, a summary and a tag that it explains', async () => {
    const document = await description();
    const all = operations(document).map(([, operation]) => operation);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { summary, tags: own } of all) {
      expect(summary).toMatch(/^[A-Z].{5,}/);
      expect(tags).toEqual(expect.arrayContaining([...own]));
    }
    expect(new Set(all.flatMap((operation) => operation.tags))).toEqual(new Set(tags));
  });

  it('names every parameter that a route takes', async () => {
    const document = await description();
    for (const route of adminRoutes) {
      const name = `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`;
      const operation = operations(document).find(([other]) => other === name)?.[1];
      const parameters = (operation?.parameters ?? []).map(
        (parameter) => `${parameter.in} ${parameter.name}`,
      );
      expect(parameters.sort()).toEqual(
        [
          ...Object.keys(route.params ?? {}).map((key) => `path ${key}`),
          ...Object.keys(route.query ?? {}).map((key) => `query ${key}`),
          'header x-doubletake-session',
        ].sort(),
      );
    }
  });

  it('names every problem that a route answers with, by status', async () => {
    const document = await description();
    for (const route of adminRoutes) {
      const name = `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`;
      const operation = operations(document).find(([other]) => other === name)?.[1];
      for (const kind of problemsOf(route)) {
        const response = operation?.responses[problemKinds[kind].status];
        expect(response?.description).toContain(kind);
        expect(response?.content).toHaveProperty(
          ['application/problem+json', 'schema', '$ref'],
          '#/components/schemas/Problem',
        );
      }
    }
  });

  it('refers to nothing that it does not have', async () => {
    const document = await description();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference ?? '',
    );
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec(reference) ?? [];
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it('gives an example of every body and every answer, and each fits its schema', async () => {
    const document = await description();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'openapi' });
    const ofDocument = (schema: object): object =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object;
    for (const [name, { requestBody, responses }] of operations(document)) {
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      for (const [type, media] of contents.flatMap((content) => Object.entries(content ?? {}))) {
        if (name === 'GET /api/openapi.json' && type === 'application/json') continue;
        if (!/json|yaml/.test(type)) continue;
        const [fromSchema] = (media.schema as { examples?: readonly unknown[] }).examples ?? [];
        const example = media.example ?? fromSchema;
        expect({ name, type, example }).toEqual({ name, type, example: expect.anything() as unknown });
        const validate = ajv.compile(ofDocument(media.schema));
        const errors = validate(example) ? [] : validate.errors;
        expect({ name, type, errors }).toEqual({ name, type, errors: [] });
      }
    }
  });

  it('has a component for each named schema', async () => {
    const { components } = await description();
    expect(Object.keys(components.schemas).sort()).toEqual(
      namedSchemas.map((schema) => String(schema['$id'])).sort(),
    );
  });
});

describe('docs/administration.md', () => {
  const text = readFileSync(new URL('../../../docs/administration.md', import.meta.url), 'utf8');
  const rows = (heading: string): readonly (readonly string[])[] => {
    const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const lines = section.split('\n').filter((line) => line.startsWith('| `'));
    return lines.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  };

  it('lists every route with its summary', () => {
    const listed = rows('Routes').map(([route, summary]) => [route, summary]);
    expect(listed).toEqual(adminRoutes.map(({ summary }, index) => [routeNames[index], summary]));
  });

  it('lists every problem with its status', () => {
    const kinds = Object.entries(problemKinds) as [ProblemKind, { status: number; title: string }][];
    expect(rows('Problems')).toEqual(kinds.map(([kind, { status, title }]) => [kind, String(status), title]));
  });

  it('lists every limit with its default', () => {
    const listed = rows('Limits').map(([name, value]) => [name, Number(value?.replaceAll(/[ ,_]/g, ''))]);
    expect(listed).toEqual(Object.entries(adminLimits));
  });
});
