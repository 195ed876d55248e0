import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify from 'fastify';
import { describe } from './description.ts';
import { callRecordSchema } from './routes/history-routes.ts';
import { entrySchema } from './routes/log-routes.ts';
import { methodSchema, serviceSchema } from './routes/service-routes.ts';
import type { AdminRoute, Schema } from './route.ts';
import { problemDetailsSchema, violationSchema } from './shared.ts';
import { shownStubSchema, stubSchemas } from './stub-schema.ts';

/** Schemas that several routes name. */
export const namedSchemas: readonly Schema[] = [
  ...stubSchemas,
  shownStubSchema,
  methodSchema,
  serviceSchema,
  callRecordSchema,
  entrySchema,
  violationSchema,
  problemDetailsSchema,
];

const tags = [
  { name: 'stubs', description: 'Load, list and remove stubs, and ask which one would answer.' },
  { name: 'services', description: 'What descriptors were loaded for.' },
  { name: 'descriptors', description: 'Load descriptors into a running server.' },
  { name: 'sessions', description: 'Who is isolated from whom.' },
  { name: 'history', description: 'Calls that were made, and how often.' },
  { name: 'log', description: 'Entries, worlds, and why.' },
  { name: 'clock', description: "The log's time." },
  { name: 'health', description: 'Whether the process lives and takes calls.' },
  { name: 'description', description: 'This description.' },
];

/**
 * The OpenAPI description of these routes. It comes from a server of its own that never listens: whoever asks for it pays
 * for it, and not everyone who starts.
 */
export async function describeRoutes(routes: readonly AdminRoute[]): Promise<unknown> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  for (const schema of namedSchemas) app.addSchema(schema);
  await app.register(swagger, {
    openapi: document,
    convertConstToEnum: false,
    refResolver: { buildLocalReference: ({ $id }) => (typeof $id === 'string' ? $id : '') },
  });
  for (const route of routes) {
    app.route({ method: route.method, url: route.path, schema: describe(route), handler: () => undefined });
  }
  await app.ready();
  const described = app.swagger();
  await app.close();
  return described;
}

const document: NonNullable<FastifyDynamicSwaggerOptions['openapi']> = {
  openapi: '3.1.0',
  info: {
    title: 'Doubletake administration',
    version: '1',
    description:
      'Stubs, descriptors, calls, the log and its clock. What changes something is an entry of the log, and is answered ' +
      'when the entry is durable. Errors are problem details (RFC 9457).',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  tags,
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  security: [{}, { token: [] }],
};
