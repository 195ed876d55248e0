import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { JsonObject } from '../../kernel/json.ts';
import { services, type Descriptors } from './descriptors.ts';
import type { RpcState } from './state.ts';
import { allStubs } from './stubs.ts';
import type { Stub, StubDefinition } from './stub.ts';

export interface StubFilter {
  /** As the stub spells it, or without the package on either side. */
  readonly service?: string;
  readonly method?: string;
  /** Exactly this session's; empty is the global ones. */
  readonly session?: string;
  /** What a caller of this session sees: its own stubs and the global ones. */
  readonly visibleTo?: string;
  readonly from?: Stub['source']['from'];
  /** Whether it has answered: the session of `visibleTo`, or anyone. */
  readonly used?: boolean;
  /** Stands somewhere in service, method or id, in any case. */
  readonly text?: string;
}

/** The stubs that the filter lets through, in order of first load. */
export function listStubs(state: RpcState, filter: StubFilter): readonly Stub[] {
  return Array.from(allStubs(state.stubs)).filter((stub) => passes(state, stub, filter));
}

function passes(state: RpcState, stub: Stub, filter: StubFilter): boolean {
  const { definition, session, source } = stub;
  if (filter.service !== undefined && !isSameService(definition.service, filter.service)) return false;
  if (filter.method !== undefined && definition.method !== filter.method) return false;
  if (filter.session !== undefined && session !== filter.session) return false;
  if (filter.visibleTo !== undefined && !isVisible(stub, filter.visibleTo)) return false;
  if (filter.from !== undefined && source.from !== filter.from) return false;
  if (filter.used !== undefined && timesUsed(state, stub, filter.visibleTo) > 0 !== filter.used) return false;
  return filter.text === undefined || hasText(stub, filter.text.toLowerCase());
}

/** Equal, or one is the other without its package. */
function isSameService(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

export function isVisible(stub: Stub, session: string): boolean {
  return stub.session === '' || stub.session === session;
}

function hasText({ id, definition }: Stub, text: string): boolean {
  return [id, definition.service, definition.method].some((part) => part.toLowerCase().includes(text));
}

/** How often the stub has answered one session, or all of them together. */
export function timesUsed(state: RpcState, stub: Stub, session: string | undefined): number {
  const uses = state.uses.get(stub.id);
  if (uses === undefined) return 0;
  return session === undefined ? uses.reduce((sum, count) => sum + count, 0) : (uses.get(session) ?? 0);
}

/** Sessions that stubs name, sorted by UTF-16 code unit. */
export function stubSessions(state: RpcState): readonly string[] {
  const sessions = new Set(Array.from(allStubs(state.stubs), (stub) => stub.session));
  return [...sessions].filter((session) => session !== '').sort();
}

/**
 * A stub as administration shows it: its definition, completed by its id and session, and what the definition does not
 * say. `responseOnlyKeys` names the latter, so that what was shown can be sent back.
 */
export function stubJson(state: RpcState, stub: Stub, session: string | undefined): JsonObject {
  const { from, file, line, by } = stub.source;
  const uses = timesUsed(state, stub, session);
  return {
    ...definitionJson(stub),
    used: uses > 0,
    uses,
    source: from,
    ...(file !== undefined && { sourceFile: file }),
    ...(line !== undefined && { sourceLine: line }),
    ...(by !== undefined && { sourceStub: by }),
  };
}

function definitionJson({ id, session, definition }: Stub): JsonObject {
  const shown: StubDefinition = { ...definition, id, ...(session !== '' && { session }) };
  // A definition is JSON: it was read from it.
  return shown as unknown as JsonObject;
}

/** Keys that `stubJson` adds and that no definition has. */
export const responseOnlyKeys: ReadonlySet<string> = new Set([
  'used',
  'uses',
  'source',
  'sourceFile',
  'sourceLine',
  'sourceStub',
]);

/** A payload of stubs without what only answers have; anything else comes back as it is. */
export function withoutResponseOnly(payload: unknown): unknown {
  if (Array.isArray(payload)) return payload.map(withoutResponseOnly);
  if (typeof payload !== 'object' || payload === null) return payload;
  const entries = Object.entries(payload);
  if (!entries.some(([key]) => responseOnlyKeys.has(key))) return payload;
  return Object.fromEntries(entries.filter(([key]) => !responseOnlyKeys.has(key)));
}

// ── Services ────────────────────────────────────────────────────────────────────────────────────────────────

/** The services that descriptors were loaded for, by full name; without the built-in ones. */
export function servicesJson(descriptors: Descriptors): readonly JsonObject[] {
  return services(descriptors).map(serviceOf);
}

/** A service by its full name, also a built-in one. */
export function serviceJson(descriptors: Descriptors, name: string): JsonObject | undefined {
  const service = descriptors.registry.getService(name);
  return service === undefined ? undefined : serviceOf(service);
}

/** The methods of a service, as it declares them. */
export function methodsJson(descriptors: Descriptors, service: string): readonly JsonObject[] | undefined {
  return descriptors.registry.getService(service)?.methods.map(methodOf);
}

/** A method by its name, or by `package.Service/Method`. */
export function methodJson(descriptors: Descriptors, service: string, name: string): JsonObject | undefined {
  const short = name.startsWith(`${service}/`) ? name.slice(service.length + 1) : name;
  const method = descriptors.registry.getService(service)?.methods.find((one) => one.name === short);
  return method === undefined ? undefined : methodOf(method);
}

function serviceOf(service: DescService): JsonObject {
  return {
    id: service.typeName,
    package: service.file.proto.package,
    name: service.name,
    methods: service.methods.map(methodOf),
  };
}

function methodOf(method: DescMethod): JsonObject {
  return {
    id: method.name,
    name: method.name,
    methodType: method.methodKind,
    requestType: method.input.typeName,
    responseType: method.output.typeName,
    clientStreaming: isClientStreaming(method),
    serverStreaming: isServerStreaming(method),
  };
}

export function isClientStreaming({ methodKind }: DescMethod): boolean {
  return methodKind === 'client_streaming' || methodKind === 'bidi_streaming';
}

export function isServerStreaming({ methodKind }: DescMethod): boolean {
  return methodKind === 'server_streaming' || methodKind === 'bidi_streaming';
}
