import { toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { FileDescriptorProtoSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { builtInFiles } from '../../core/services/rpc/protobuf/well-known.ts';
import { ProtoImports } from './proto-imports.ts';
import { linkProtos, type ProtoFile, type ProtoProblem } from './proto-linker.ts';
import { importsFirst } from './proto-order.ts';
import { readProtos } from './proto-reading.ts';
import {
  foundFile,
  isFolder,
  protoFilesMax,
  protosBelow,
  rootOf,
  type FoundProto,
  type Root,
} from './proto-roots.ts';
import { isDescriptorSet, readDescriptorSet } from './proto-sets.ts';

export type { ProtoProblem };

export interface ProtoSources {
  /** `.proto` files, folders of them, and descriptor sets (`.pb`, `.binpb`, `.protoset`, `.desc`). */
  readonly paths: readonly string[];
  /** Folders that imports are relative to, before the given folders and the folders of the given files. */
  readonly importPaths: readonly string[];
}

export type ProtoLoad =
  | {
      readonly ok: true;
      /** An encoded `google.protobuf.FileDescriptorSet`; no file stands before its imports. Built-in files are not in it. */
      readonly set: Uint8Array;
      /** The names of the files in it, in its order. */
      readonly files: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly ProtoProblem[] };

/**
 * Reads `.proto` files and descriptor sets, with all that they import, into one descriptor set. A file is named as it is
 * seen from the first import path that holds it. An import is looked for in the import paths, in the given sets, among
 * the built-in files, in the folders around the importing file, and at last among the files that were found, by the end
 * of their path. All problems are listed at once.
 */
export function loadProtoSources({ paths, importPaths }: ProtoSources): ProtoLoad {
  const given: Given = { problems: [], sets: new Map(), found: [], roots: [] };
  for (const path of importPaths) guarded(given, path, () => given.roots.push(rootOf(path)));
  for (const path of paths) guarded(given, path, () => findGiven(given, path));
  if (given.found.length > protoFilesMax) {
    given.problems.push({ file: paths.join(', '), message: `more than ${protoFilesMax} .proto files` });
  }
  return given.problems.length > 0 ? { ok: false, problems: given.problems } : load(given);
}

interface Given {
  readonly problems: ProtoProblem[];
  /** Files of descriptor sets, by name. */
  readonly sets: Map<string, FileDescriptorProto>;
  readonly found: FoundProto[];
  readonly roots: Root[];
}

function guarded({ problems }: Given, path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    const message = code === 'ENOENT' ? 'there is no such file or folder' : `cannot be read (${code})`;
    problems.push({ file: path, message });
  }
}

function findGiven(given: Given, path: string): void {
  if (isFolder(path)) {
    const root = rootOf(path);
    given.roots.push(root);
    given.found.push(...protosBelow(root));
  } else if (isDescriptorSet(path)) {
    const read = readDescriptorSet(path);
    if (!read.ok) given.problems.push(read.problem);
    else for (const file of read.files) given.sets.set(file.name, file);
  } else if (path.endsWith('.proto')) {
    given.found.push(foundFile(path));
  } else {
    const message =
      'is neither a .proto file nor a folder nor a descriptor set (.pb, .binpb, .protoset, .desc)';
    given.problems.push({ file: path, message });
  }
}

function load({ found, roots, sets, problems }: Given): ProtoLoad {
  const imports = new ProtoImports(roots, found, sets);
  const wanted = found.filter((file) => !file.onlyIfImported && !imports.isBuiltIn(file));
  const builtIn = [...builtInFiles().values()].map(({ proto }) => [proto.name, proto] as const);
  const known = new Map([...builtIn, ...sets]);
  const files = readProtos(wanted, imports, known, problems);
  const sources = new Set(files.map(({ proto }) => proto.name));
  const others = [...known.values()].filter(({ name }) => !sources.has(name));
  problems.push(...linkProtos(files, others));
  if (problems.length > 0) return { ok: false, problems: problems.toSorted(byPlace) };
  return ordered(
    files,
    [...sets.values()].filter(({ name }) => !sources.has(name)),
  );
}

function byPlace(a: ProtoProblem, b: ProtoProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

function ordered(files: readonly ProtoFile[], fromSets: readonly FileDescriptorProto[]): ProtoLoad {
  const order = importsFirst([...fromSets, ...files.map(({ proto }) => proto)]);
  if (order.ok) return { ok: true, set: encodedSet(order.files), files: order.files.map(({ name }) => name) };
  const [first = '', ...others] = order.circle;
  const file = files.find(({ proto }) => proto.name === first)?.path ?? first;
  return {
    ok: false,
    problems: [{ file, message: `imports itself, by way of ${[...others, first].join(', ')}` }],
  };
}

function encodedSet(files: readonly FileDescriptorProto[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const file of files)
    writer.tag(1, WireType.LengthDelimited).bytes(toBinary(FileDescriptorProtoSchema, file));
  return writer.finish();
}
