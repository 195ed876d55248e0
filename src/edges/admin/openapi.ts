import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { callRecordSchema } from './routes/history-routes.ts';
import { entrySchema } from './routes/log-routes.ts';
import { methodSchema, serviceSchema } from './routes/service-routes.ts';
import type { Schema } from './route.ts';
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

/** Lets the description be generated from the routes that are registered afterwards. */
export async function registerDescription(app: FastifyInstance): Promise<void> {
  for (const schema of namedSchemas) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
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
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: ({ $id }) => (typeof $id === 'string' ? $id : '') },
  });
}
