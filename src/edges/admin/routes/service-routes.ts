import {
  methodJson,
  methodsJson,
  serviceJson,
  servicesJson,
  stubSessions,
} from '../../../core/services/rpc/catalogue.ts';
import { serviceNames, type Descriptors } from '../../../core/services/rpc/descriptors.ts';
import { utf8Text } from '../../../core/kernel/bytes.ts';
import type { LogEntry } from '../../../core/simulator/events.ts';
import { submitted } from '../../../core/simulator/simulator.ts';
import { durableWorld } from '../durable-world.ts';
import { descriptorSetTypes, protoSourceTypes } from '../payload.ts';
import { refusal } from '../problem.ts';
import {
  entryHeaders,
  route,
  type AdminContext,
  type AdminRoute,
  type Answer,
  type Schema,
} from '../route.ts';
import { entryHeaderSchema, okSchema, timeText } from '../shared.ts';

const tag = 'services';

export const methodSchema: Schema = {
  $id: 'Method',
  type: 'object',
  required: ['id', 'name', 'methodType', 'requestType', 'responseType', 'clientStreaming', 'serverStreaming'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    methodType: { type: 'string', enum: ['unary', 'client_streaming', 'server_streaming', 'bidi_streaming'] },
    requestType: { type: 'string', description: 'The full name of the message.' },
    responseType: { type: 'string' },
    clientStreaming: { type: 'boolean' },
    serverStreaming: { type: 'boolean' },
  },
  additionalProperties: false,
};

export const serviceSchema: Schema = {
  $id: 'Service',
  type: 'object',
  required: ['id', 'package', 'name', 'methods'],
  properties: {
    id: { type: 'string', description: 'The full name.' },
    package: { type: 'string' },
    name: { type: 'string' },
    methods: { type: 'array', items: { $ref: 'Method#' } },
  },
  additionalProperties: false,
};

const exampleMethod = {
  id: 'SayHello',
  name: 'SayHello',
  methodType: 'unary',
  requestType: 'helloworld.HelloRequest',
  responseType: 'helloworld.HelloReply',
  clientStreaming: false,
  serverStreaming: false,
};
const exampleService = {
  id: 'helloworld.Greeter',
  package: 'helloworld',
  name: 'Greeter',
  methods: [exampleMethod],
};

const serviceParameter = { serviceId: { type: 'string', description: 'The full name of a service.' } };

const getServices = route<object, object, undefined>({
  method: 'GET',
  path: '/api/services',
  tag,
  summary: 'List the services that descriptors were loaded for',
  description: 'By full name. The built-in ones (health, reflection) are not listed.',
  ok: {
    status: 200,
    description: 'The services.',
    schema: { type: 'array', items: { $ref: 'Service#' } },
    example: [exampleService],
  },
  async serve(_, { simulator }) {
    const { rpc } = await durableWorld(simulator);
    return { status: 200, body: servicesJson(rpc.descriptors) };
  },
});

const getService = route<object, { readonly serviceId: string }, undefined>({
  method: 'GET',
  path: '/api/services/:serviceId',
  tag,
  summary: 'Get a service',
  params: serviceParameter,
  ok: { status: 200, description: 'The service.', schema: { $ref: 'Service#' }, example: exampleService },
  problems: ['DT_NOT_FOUND'],
  async serve({ params }, context) {
    return found(serviceJson(await knownDescriptors(context), params.serviceId));
  },
});

const getMethods = route<object, { readonly serviceId: string }, undefined>({
  method: 'GET',
  path: '/api/services/:serviceId/methods',
  tag,
  summary: 'List the methods of a service',
  params: serviceParameter,
  ok: {
    status: 200,
    description: 'The methods, as the service declares them.',
    schema: { type: 'array', items: { $ref: 'Method#' } },
    example: [exampleMethod],
  },
  problems: ['DT_NOT_FOUND'],
  async serve({ params }, context) {
    return found(methodsJson(await knownDescriptors(context), params.serviceId));
  },
});

const getMethod = route<object, { readonly serviceId: string; readonly methodId: string }, undefined>({
  method: 'GET',
  path: '/api/services/:serviceId/methods/:methodId',
  tag,
  summary: 'Get a method',
  params: {
    ...serviceParameter,
    methodId: { type: 'string', description: 'Its name, or `package.Service/Method`.' },
  },
  ok: { status: 200, description: 'The method.', schema: { $ref: 'Method#' }, example: exampleMethod },
  problems: ['DT_NOT_FOUND'],
  async serve({ params }, context) {
    return found(methodJson(await knownDescriptors(context), params.serviceId, params.methodId));
  },
});

async function knownDescriptors({ simulator }: AdminContext): Promise<Descriptors> {
  return (await durableWorld(simulator)).rpc.descriptors;
}

function found(body: object | undefined): Answer {
  if (body === undefined)
    throw refusal('DT_NOT_FOUND', 'no descriptor that was loaded has a service or method of that name');
  return { status: 200, body };
}

const serviceIdsSchema: Schema = { type: 'array', items: { type: 'string' } };

const getDescriptors = route<object, object, undefined>({
  method: 'GET',
  path: '/api/descriptors',
  tag: 'descriptors',
  summary: 'List the names of the services that descriptors were loaded for',
  ok: {
    status: 200,
    description: 'Full names.',
    schema: {
      type: 'object',
      required: ['serviceIDs'],
      properties: { serviceIDs: serviceIdsSchema },
      additionalProperties: false,
    },
    example: { serviceIDs: ['helloworld.Greeter'] },
  },
  async serve(_, { simulator }) {
    const { rpc } = await durableWorld(simulator);
    return {
      status: 200,
      body: { serviceIDs: serviceNames(rpc.descriptors) },
    };
  },
});

const postDescriptors = route<{ readonly fileName: string }, object, Uint8Array | undefined>({
  method: 'POST',
  path: '/api/descriptors',
  tag: 'descriptors',
  summary: 'Load descriptors',
  description:
    'An encoded `google.protobuf.FileDescriptorSet` (`protoc --include_imports --descriptor_set_out`, `buf build -o`), or the ' +
    'text of one `.proto` file whose imports are known. A file replaces the one of its name. All files are loaded, or none.',
  query: {
    fileName: {
      type: 'string',
      pattern: '^[\\w./-]{1,200}$',
      default: 'upload.proto',
      description: 'Of a `.proto` text: the name that other files import it by.',
    },
  },
  body: {
    mediaTypes: [...descriptorSetTypes, ...protoSourceTypes],
    schema: { type: 'string', contentMediaType: 'application/octet-stream' },
    checkedElsewhere: true,
    large: true,
  },
  ok: {
    status: 200,
    description: 'Full names of the services in files that are new or changed.',
    schema: {
      ...okSchema,
      required: ['message', 'time', 'serviceIDs'],
      properties: { ...(okSchema['properties'] as object), serviceIDs: serviceIdsSchema },
    },
    headers: entryHeaderSchema,
    example: { message: 'ok', time: '2026-01-01T00:00:00.000Z', serviceIDs: ['helloworld.Greeter'] },
  },
  problems: ['DT_DESCRIPTORS_INVALID'],
  async serve({ body, mediaType, query }, context) {
    if (body === undefined)
      throw unusable([{ pointer: '', message: 'expected a FileDescriptorSet, got no body' }]);
    const bytes = protoSourceTypes.includes(mediaType)
      ? compiled(utf8Text(body), query.fileName, context)
      : body;
    return loaded(await submitted(context.simulator, { kind: 'DescriptorsLoaded', source: 'api', bytes }));
  },
});

function compiled(source: string, fileName: string, { compileProto, simulator }: AdminContext): Uint8Array {
  if (compileProto === undefined)
    throw refusal('DT_MEDIA_TYPE_REFUSED', 'this server takes descriptor sets only');
  try {
    return compileProto(source, fileName, simulator.world().rpc.descriptors);
  } catch (error) {
    throw unusable([{ pointer: '', message: error instanceof Error ? error.message : String(error) }]);
  }
}

function loaded(entry: LogEntry): Answer {
  for (const outcome of entry.outcomes) {
    if (outcome.kind === 'DescriptorsRefused') throw unusable(outcome.violations);
    if (outcome.kind !== 'DescriptorsAccepted') continue;
    const body = { message: 'ok', time: timeText(entry.at), serviceIDs: outcome.services };
    return { status: 200, headers: entryHeaders(entry), body };
  }
  throw new Error(`entry ${entry.seq} neither accepts nor refuses its descriptors`);
}

function unusable(violations: readonly unknown[]): Error {
  return refusal('DT_DESCRIPTORS_INVALID', 'nothing was loaded', { violations });
}

const getSessions = route<object, object, undefined>({
  method: 'GET',
  path: '/api/sessions',
  tag: 'sessions',
  summary: 'List the sessions that stubs name',
  ok: {
    status: 200,
    description: 'Sorted; without the global one.',
    schema: {
      type: 'object',
      required: ['sessions'],
      properties: { sessions: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    },
    example: { sessions: ['checkout-test-17'] },
  },
  async serve(_, { simulator }) {
    const { rpc } = await durableWorld(simulator);
    return { status: 200, body: { sessions: stubSessions(rpc) } };
  },
});

export const serviceRoutes: readonly AdminRoute[] = [
  getServices,
  getService,
  getMethods,
  getMethod,
  getDescriptors,
  postDescriptors,
  getSessions,
];
