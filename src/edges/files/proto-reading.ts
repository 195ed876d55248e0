import { readFileSync } from 'node:fs';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import type { Import, ProtoImports } from './proto-imports.ts';
import type { ProtoFile, ProtoProblem } from './proto-linker.ts';
import { parseProto } from './proto-parser.ts';
import type { ParsedProto } from './proto-parsing.ts';
import type { FoundProto } from './proto-roots.ts';
import type { SymbolFile } from './proto-symbols.ts';
import { ProtoSyntaxError } from './proto-tokens.ts';

/** Bytes of one `.proto` file. */
export const protoBytesMax = 64 * 1024 * 1024;

/** Reads and parses files with all that they import. What is wrong goes into `problems`, and such a file is left out. */
export function readProtos(
  files: readonly FoundProto[],
  imports: ProtoImports,
  known: ReadonlyMap<string, FileDescriptorProto>,
  problems: ProtoProblem[],
): ProtoFile[] {
  const read = new Map<string, ReadProto>();
  const tried = new Set<string>();
  const pending = [...files].reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (tried.has(next.real)) continue;
    tried.add(next.real);
    const file = readProto(next, imports, problems);
    if (file === undefined) continue;
    read.set(next.real, file);
    for (const one of file.imports) if (one.from === 'disk') pending.push(one.file);
  }
  for (const file of read.values()) link(file, read, known);
  problems.push(...sameNames([...read.values()]));
  return [...read.values()];
}

interface ReadProto extends ProtoFile {
  /** `imports[k]` is where `parsed.imports[k]` leads. */
  readonly imports: readonly Import[];
  // These are filled when all files are read: imports may go in circles.
  readonly dependencies: SymbolFile[];
  readonly optionDependencies: SymbolFile[];
}

function readProto(
  found: FoundProto,
  imports: ProtoImports,
  problems: ProtoProblem[],
): ReadProto | undefined {
  try {
    const bytes = readFileSync(found.real);
    if (bytes.length > protoBytesMax) throw new ProtoSyntaxError(1, `is larger than ${protoBytesMax} bytes`);
    const parsed = parseProto(imports.nameOf(found), bytes.toString());
    const resolved = parsed.imports.map(({ name }) => imports.resolve(found, name));
    problems.push(...lostImports(found, parsed, resolved));
    const { proto } = parsed;
    return { path: found.path, proto, parsed, imports: resolved, dependencies: [], optionDependencies: [] };
  } catch (error) {
    problems.push({ file: found.path, ...whyUnread(error) });
    return undefined;
  }
}

function whyUnread(error: unknown): { readonly message: string; readonly line?: number } {
  if (error instanceof ProtoSyntaxError) return { message: error.message, line: error.line };
  if (error instanceof Error && 'code' in error) return { message: `cannot be read (${String(error.code)})` };
  throw error;
}

function lostImports(found: FoundProto, parsed: ParsedProto, resolved: readonly Import[]): ProtoProblem[] {
  return parsed.imports.flatMap(({ name, line }, index) => {
    const one = resolved[index];
    return one?.from === 'nowhere'
      ? [{ file: found.path, line, message: `imports ${name}, which ${one.problem}` }]
      : [];
  });
}

type Known = ReadonlyMap<string, FileDescriptorProto>;

/** An import is called by the name of the file that it led to, so that each file has one name. */
function link(file: ReadProto, read: ReadonlyMap<string, ReadProto>, known: Known): void {
  const { proto, parsed, imports, dependencies, optionDependencies } = file;
  const targets = imports.map((one) => targetOf(one, read, known));
  const names = parsed.imports.map(({ name, isOption }, index) => ({
    name: targets[index]?.proto.name ?? name,
    isOption,
  }));
  proto.dependency = names.filter(({ isOption }) => !isOption).map(({ name }) => name);
  proto.optionDependency = names.filter(({ isOption }) => isOption).map(({ name }) => name);
  for (const [index, target] of targets.entries()) {
    if (target !== undefined)
      (parsed.imports[index]?.isOption === true ? optionDependencies : dependencies).push(target);
  }
}

function targetOf(one: Import, read: ReadonlyMap<string, ReadProto>, known: Known): SymbolFile | undefined {
  if (one.from === 'disk') return read.get(one.file.real);
  return one.from === 'known' ? knownFile(one.proto, known) : undefined;
}

const knownFiles = new WeakMap<FileDescriptorProto, SymbolFile>();

/** A file that is not parsed here, with what it imports. */
export function knownFile(proto: FileDescriptorProto, known: Known): SymbolFile {
  const before = knownFiles.get(proto);
  if (before !== undefined) return before;
  const dependencies: SymbolFile[] = [];
  const file = { proto, dependencies, optionDependencies: [] };
  // Before its imports, which may go in circles in a set that somebody made by hand.
  knownFiles.set(proto, file);
  for (const name of proto.dependency) {
    const dependency = known.get(name);
    if (dependency !== undefined) dependencies.push(knownFile(dependency, known));
  }
  return file;
}

function sameNames(files: readonly ReadProto[]): ProtoProblem[] {
  const paths = new Map<string, string>();
  return files.flatMap(({ path, proto }) => {
    const other = paths.get(proto.name);
    paths.set(proto.name, other ?? path);
    return other === undefined
      ? []
      : [{ file: path, message: `has the same name as ${other}: ${proto.name}` }];
  });
}
