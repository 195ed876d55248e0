import { createFileRegistry, type DescFile, type DescMessage } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/**
 * A `.proto` file that is known, linked to what it imports. Its types are built when they are first asked for: of
 * thousands of files, a run uses a few.
 */
export interface DescriptorFile {
  readonly name: string;
  readonly proto: FileDescriptorProto;
  /** In the order of `proto.dependency`. */
  readonly dependencies: readonly DescriptorFile[];
  /** Known without being loaded; steps aside for a loaded file of the same name, unless it is `pinned`. */
  readonly builtIn: boolean;
  /** The codec relies on its content, so no loaded file replaces it. */
  readonly pinned: boolean;
}

const built = new WeakMap<DescriptorFile, DescFile>();

/** Says that `desc` is what building `file` would give. */
export function presetDesc(file: DescriptorFile, desc: DescFile): DescriptorFile {
  built.set(file, desc);
  return file;
}

/** The runtime description of a checked file; the same object at each call. */
export function descOf(file: DescriptorFile): DescFile {
  // With a stack of its own: a chain of imports may be longer than the engine's stack.
  const pending: DescriptorFile[] = [file];
  for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
    const missing = built.has(next) ? [] : next.dependencies.filter((dependency) => !built.has(dependency));
    pending.push(...missing);
    if (missing.length > 0) continue;
    if (!built.has(next)) built.set(next, build(next));
    pending.pop();
  }
  return builtDesc(file);
}

function builtDesc(file: DescriptorFile): DescFile {
  const desc = built.get(file);
  if (desc === undefined) throw new Error(`${file.name} was not built`);
  return desc;
}

function build(file: DescriptorFile): DescFile {
  const visible = new Map(file.dependencies.map((dependency) => [dependency.name, visibleTypes(dependency)]));
  const desc = createFileRegistry(file.proto, (name) => visible.get(name)).getFile(file.name);
  if (desc === undefined) throw new Error(`${file.name} was not built`);
  desc.dependencies.splice(0, desc.dependencies.length, ...file.dependencies.map(builtDesc));
  for (const type of nestedTypes(desc)) if (type.kind === 'message') settleFields(type);
  return desc;
}

// `createFileRegistry` walks all that an import imports in turn, for each file anew. What a file sees of an import is
// the import itself and its public imports, so it is shown no more than that.
function visibleTypes(file: DescriptorFile): DescFile {
  const [, ...others] = withPublicImports([file]);
  return {
    ...builtDesc(file),
    dependencies: others.map((other) => ({ ...builtDesc(other), dependencies: [] })),
  };
}

/** The files whose types a file may use: itself, its imports, and what those import publicly. */
export function visibleFiles(file: DescriptorFile): ReadonlySet<DescriptorFile> {
  return withPublicImports([file, ...file.dependencies]);
}

function withPublicImports(files: readonly DescriptorFile[]): ReadonlySet<DescriptorFile> {
  const found = new Set(files);
  // A set that grows while it is gone through is gone through to its new end.
  for (const file of found) {
    for (const index of file.proto.publicDependency) {
      const dependency = file.dependencies[index];
      if (dependency !== undefined) found.add(dependency);
    }
  }
  return found;
}

// Two names of one message, such as `foo_bar` and `foo__bar`, may come to the same property name, and one field would
// then be read into the other. And `jstype = JS_STRING` would make 64-bit integers text: here they are bigints always.
function settleFields(message: DescMessage): void {
  const taken = new Set<string>();
  for (const member of [...message.members, ...message.oneofs.flatMap((oneof) => oneof.fields)]) {
    const inOneof = member.kind === 'field' && member.oneof !== undefined;
    const scope = inOneof ? `${member.oneof.localName}.` : '';
    let name = member.localName;
    for (let n = 2; taken.has(scope + name); n += 1) name = `${member.localName}$${n}`;
    taken.add(scope + name);
    if (name !== member.localName) Object.assign(member, { localName: name });
    if (member.kind === 'field' && 'longAsString' in member) Object.assign(member, { longAsString: false });
    if (member.kind === 'field') message.field[name] = member;
  }
}

const typesOfFile = new WeakMap<DescFile, ReadonlyMap<string, FileType>>();

export type FileType = ReturnType<typeof nestedTypes> extends Iterable<infer Type> ? Type : never;

/** All types of a file by full name, nested ones too; without map entries. */
export function typesOf(desc: DescFile): ReadonlyMap<string, FileType> {
  let types = typesOfFile.get(desc);
  if (types === undefined) {
    types = new Map([...nestedTypes(desc)].map((type) => [type.typeName, type]));
    typesOfFile.set(desc, types);
  }
  return types;
}
