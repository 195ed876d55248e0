import type { DescMethod } from '@bufbuild/protobuf';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { decodeMessage, encodeJson, messageJson } from './codec.ts';
import { findMethod, noDescriptors, serviceNames, type Descriptors } from './descriptors.ts';
import { statusCodes } from './status-codes.ts';

/** The answer of a built-in service to one message. `code` is a gRPC status code. */
export type Answer =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: number; readonly message: string };

export const healthService = 'grpc.health.v1.Health';

/**
 * Answers one message to the health service (https://github.com/grpc/grpc/blob/master/doc/health-checking.md). The
 * server, whose name is empty, is SERVING, and so is every loaded service. `Check` of another name is NOT_FOUND; `Watch`
 * says SERVICE_UNKNOWN, and its call stays open: loading the service later changes the answer.
 *
 * `method` is `Check`, `List` or `Watch`. `aliases` are further names of the server.
 */
export function answerHealth(
  descriptors: Descriptors,
  method: string,
  message: Uint8Array,
  aliases: readonly string[] = [],
): Answer {
  // The built-in service, whatever else was loaded under its name.
  const desc = findMethod(noDescriptors, `/${healthService}/${method}`);
  if (desc === undefined)
    return { ok: false, code: statusCodes.UNIMPLEMENTED, message: `unknown method ${method}` };
  const request = decodeMessage(desc.input, message);
  if (!request.ok) return { ok: false, code: statusCodes.INVALID_ARGUMENT, message: request.problem };
  if (method === 'List') return encoded(desc, { statuses: allStatuses(descriptors, aliases) });
  const service = requestedService(messageJson(request.message, desc.input, noDescriptors));
  const isServing = service === '' || aliases.includes(service) || isLoaded(descriptors, service);
  if (isServing) return encoded(desc, { status: 'SERVING' });
  if (method === 'Watch') return encoded(desc, { status: 'SERVICE_UNKNOWN' });
  return { ok: false, code: statusCodes.NOT_FOUND, message: 'unknown service' };
}

/** The service that a request to `Check` or `Watch` names; empty is the server, and what is no request, too. */
export function askedService(request: Uint8Array): string {
  const desc = findMethod(noDescriptors, `/${healthService}/Check`);
  const decoded = desc === undefined ? undefined : decodeMessage(desc.input, request);
  if (desc === undefined || decoded?.ok !== true) return '';
  return requestedService(messageJson(decoded.message, desc.input, noDescriptors));
}

function isLoaded(descriptors: Descriptors, service: string): boolean {
  const known = descriptors.registry.getService(service);
  return known !== undefined && descriptors.files.has(known.file.proto.name);
}

function allStatuses(descriptors: Descriptors, aliases: readonly string[]): JsonObject {
  const names = ['', ...aliases, ...serviceNames(descriptors)];
  return Object.fromEntries(names.map((name) => [name, { status: 'SERVING' }]));
}

function requestedService(request: Json): string {
  // The descriptor says that `service` is a string without presence.
  return (request as { readonly service: string }).service;
}

function encoded(desc: DescMethod, json: Json): Answer {
  const result = encodeJson(desc.output, json, noDescriptors);
  return result.ok ? result : { ok: false, code: statusCodes.INTERNAL, message: result.problem };
}
