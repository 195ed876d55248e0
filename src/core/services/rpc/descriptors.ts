import type { DescMethod, DescService, FileRegistry } from '@bufbuild/protobuf';
import { Map } from 'immutable';
import { noIndex, withFiles, type DescriptorIndex } from './protobuf/descriptor-index.ts';
import { allSymbols, declarationsOf } from './protobuf/declarations.ts';
import type { DescriptorFile } from './protobuf/descriptor-file.ts';
import { bytesOfFile, encodedSet, filesOfSet } from './protobuf/descriptor-set.ts';
import { fileDefining, registryOf } from './protobuf/lookup.ts';
import type { Violation } from './events.ts';

/**
 * What is known of messages and services: an immutable value. Types are built when they are first asked for, so
 * thousands of files cost little until they are used.
 */
export interface Descriptors {
  /** Encoded `google.protobuf.FileDescriptorProto` by file name, without the built-in files. */
  readonly files: Map<string, Uint8Array>;
  /** All files, the built-in ones too. Going through all of it builds all of it: ask for names. */
  readonly registry: FileRegistry;
  /** By path: `/package.Service/Method`. */
  readonly methods: MethodLookup;
  /** How files and names are found; for the functions below. */
  readonly index: DescriptorIndex;
}

export interface MethodLookup {
  get(path: string): DescMethod | undefined;
}

/** Only the built-in files: the well-known types, google/rpc, google/type, and the services that every server has. */
export const noDescriptors: Descriptors = descriptorsOf(Map(), noIndex);

export type DescriptorsLoad =
  | {
      readonly ok: true;
      /** The same object when nothing changed. */
      readonly descriptors: Descriptors;
      /** Names of the files that are new or changed, imports first. */
      readonly files: readonly string[];
      /** Full names of the services in them. */
      readonly services: readonly string[];
    }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Adds the files of an encoded `google.protobuf.FileDescriptorSet`, in any order. A file replaces an earlier one of its
 * name, and what imports it is linked anew. All or nothing, and never throws: a set that does not decode, a missing
 * import, a bad name, a type that is not there and a name that two files define are violations.
 *
 * Files of `google/protobuf` that are built in stay as they are; other built-in files step aside for a loaded file that
 * has their name or defines what they define.
 */
export function withDescriptors(descriptors: Descriptors, set: Uint8Array): DescriptorsLoad {
  const decoded = filesOfSet(set, descriptors.files);
  if (!decoded.ok) return decoded;
  if (decoded.files.length === 0) return { ok: true, descriptors, files: [], services: [] };
  const change = withFiles(
    descriptors.index,
    decoded.files.map((file) => file.proto),
  );
  if (!change.ok) return change;
  const files = descriptors.files.withMutations((all) => {
    for (const file of decoded.files) all.set(file.proto.name, file.bytes);
  });
  return {
    ok: true,
    descriptors: descriptorsOf(files, change.index),
    files: change.changed.map((file) => file.name),
    services: change.changed.flatMap((file) => declarationsOf(file.proto).services),
  };
}

function descriptorsOf(files: Map<string, Uint8Array>, index: DescriptorIndex): Descriptors {
  const registry = registryOf(index);
  return { files, index, registry, methods: methodsIn(registry) };
}

/** All loaded files as one encoded `FileDescriptorSet`, imports first: `withDescriptors(noDescriptors, …)` gives them back. */
export function descriptorSet(descriptors: Descriptors): Uint8Array {
  return encodedSet(descriptors.index.files, descriptors.files);
}

/** The method of a path as on the wire, `/package.Service/Method`. Case-sensitive. */
export function findMethod(descriptors: Descriptors, path: string): DescMethod | undefined {
  return descriptors.methods.get(path);
}

function methodsIn(registry: FileRegistry): MethodLookup {
  // What was found once is found at once. Only what exists is kept, so that strangers cannot fill this.
  const found = new globalThis.Map<string, DescMethod>();
  return {
    get: (path) => {
      const known = found.get(path);
      if (known !== undefined) return known;
      const method = methodAt(registry, path);
      if (method !== undefined) found.set(path, method);
      return method;
    },
  };
}

function methodAt(registry: FileRegistry, path: string): DescMethod | undefined {
  const slash = path.lastIndexOf('/');
  if (!path.startsWith('/') || slash < 2) return undefined;
  return methodNamed(registry.getService(path.slice(1, slash)), path.slice(slash + 1));
}

/**
 * The methods that a stub for `service` and `method` can answer: of the service with that full name, and of every
 * service that has that name without its package. Case-sensitive; sorted by the service's full name.
 */
export function methodsFor(descriptors: Descriptors, service: string, method: string): readonly DescMethod[] {
  const names =
    descriptors.index.servicesByShortName.get(service) ?? (service.includes('.') ? [service] : []);
  return names.flatMap((name) => methodNamed(descriptors.registry.getService(name), method) ?? []);
}

function methodNamed(service: DescService | undefined, name: string): DescMethod | undefined {
  return service?.methods.find((method) => method.name === name);
}

/** The path of a method as on the wire: `/package.Service/Method`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** Full names of the services that were loaded, sorted; without the built-in ones. Builds nothing. */
export function serviceNames(descriptors: Descriptors): readonly string[] {
  const loaded = [...descriptors.index.files.values()].filter((file) => !file.builtIn);
  return loaded.flatMap((file) => declarationsOf(file.proto).services).sort();
}

/** The services that were loaded, sorted by full name; without the built-in ones. Builds all of them. */
export function services(descriptors: Descriptors): readonly DescService[] {
  return serviceNames(descriptors).flatMap((name) => descriptors.registry.getService(name) ?? []);
}

/**
 * The file that defines a name: a message, field, oneof, enum, enum value, extension, service or method, by its full
 * name.
 */
export function fileOfSymbol(descriptors: Descriptors, symbol: string): DescriptorFile | undefined {
  const file = fileDefining(descriptors.index, symbol);
  return file !== undefined && allSymbols(file.proto).has(symbol) ? file : undefined;
}

/** The encoded `google.protobuf.FileDescriptorProto` of a known file. */
export function fileBytes(descriptors: Descriptors, file: DescriptorFile): Uint8Array {
  return descriptors.files.get(file.name) ?? bytesOfFile(file);
}

export type { DescriptorFile };
