import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { Map } from 'immutable';
import type { Violation } from '../events.ts';
import { declarationsOf } from './declarations.ts';
import { fileProblems, referenceProblems } from './descriptor-checks.ts';
import { visibleFiles, type DescriptorFile } from './descriptor-file.ts';
import { fileDefining } from './lookup.ts';
import { builtInFiles } from './well-known.ts';

/** Files and the names in them, as persistent maps: adding a file to thousands copies none of them. */
export interface DescriptorIndex {
  readonly files: Map<string, DescriptorFile>;
  /** The file of each name that stands at the top of a file. */
  readonly symbols: Map<string, string>;
  /** By extended message, then by number: the file. */
  readonly extensions: Map<string, Map<number, string>>;
  /** Full names, sorted, by the name without the package. */
  readonly servicesByShortName: Map<string, readonly string[]>;
}

/** Violations that one load reports; more would help nobody. */
export const violationsMax = 1000;

const emptyIndex: DescriptorIndex = {
  files: Map(),
  symbols: Map(),
  extensions: Map(),
  servicesByShortName: Map(),
};

/** Only the built-in files. */
export const noIndex: DescriptorIndex = indexed(emptyIndex, [...builtInFiles().values()]);

export type IndexChange =
  | {
      readonly ok: true;
      readonly index: DescriptorIndex;
      /** The given files, imports first. */
      readonly changed: readonly DescriptorFile[];
    }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** Adds files, and links anew what imports a file that is replaced. */
export function withFiles(index: DescriptorIndex, protos: readonly FileDescriptorProto[]): IndexChange {
  const alone = protos.flatMap((proto) => violationsOf(proto.name, fileProblems(proto)));
  if (alone.length > 0) return refused(alone);
  const rest = withoutReplaced(index, protos);
  const linked = linkedFiles(rest, [...protos, ...dependents(index, protos)]);
  if (linked.violations.length > 0) return refused(linked.violations);
  const next = indexed(rest, linked.files);
  const conflicts = [
    ...symbolConflicts(rest, linked.files),
    ...linked.files.flatMap((file) => badReferences(next, file)),
  ];
  if (conflicts.length > 0) return refused(conflicts);
  const given = new Set(protos.map((proto) => proto.name));
  return { ok: true, index: next, changed: linked.files.filter((file) => given.has(file.name)) };
}

function refused(violations: readonly Violation[]): IndexChange {
  return { ok: false, violations: violations.slice(0, violationsMax) };
}

function violationsOf(file: string, problems: readonly string[]): Violation[] {
  return problems.map((message) => ({ pointer: '', file, message }));
}

// ── What goes when files come ───────────────────────────────────────────────────────────────────────────────

/** The index without the files that get another content, without all that imports them, and without built-in files in the way. */
function withoutReplaced(index: DescriptorIndex, protos: readonly FileDescriptorProto[]): DescriptorIndex {
  const gone = new Set([...protos, ...dependents(index, protos)].map((proto) => proto.name));
  for (const name of inTheWay(index, protos)) gone.add(name);
  return withoutFiles(
    index,
    [...gone].flatMap((name) => index.files.get(name) ?? []),
  );
}

/** What imports one of `protos` (by name), directly or not, and is not among them. */
function dependents(index: DescriptorIndex, protos: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const replaced = protos.map((proto) => proto.name).filter((name) => index.files.has(name));
  if (replaced.length === 0) return [];
  const given = new Set(protos.map((proto) => proto.name));
  return importersOf(index, replaced)
    .filter((file) => !given.has(file.name))
    .map((file) => file.proto);
}

function importersOf(index: DescriptorIndex, names: readonly string[]): DescriptorFile[] {
  const importers = new globalThis.Map<string, DescriptorFile[]>();
  for (const file of index.files.values()) {
    for (const { name } of file.dependencies) {
      const known = importers.get(name);
      if (known === undefined) importers.set(name, [file]);
      else known.push(file);
    }
  }
  const found = new Set<DescriptorFile>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const file of importers.get(name) ?? []) {
      if (!found.has(file)) pending.push(file.name);
      found.add(file);
    }
  }
  return [...found];
}

/** Built-in files that define what `protos` define, and that nobody needs: people bring their own copies, elsewhere. */
function inTheWay(index: DescriptorIndex, protos: readonly FileDescriptorProto[]): readonly string[] {
  const owners = new Set<string>();
  for (const proto of protos) {
    for (const symbol of declarationsOf(proto).topLevel) {
      const owner = index.symbols.get(symbol);
      if (owner !== undefined && owner !== proto.name) owners.add(owner);
    }
  }
  const wanted = new Set(protos.flatMap((proto) => proto.dependency));
  return [...owners].filter((owner) => {
    const files = [index.files.get(owner), ...importersOf(index, [owner])];
    return files.every((file) => file?.builtIn === true && !file.pinned && !wanted.has(file.name));
  });
}

function withoutFiles(index: DescriptorIndex, files: readonly DescriptorFile[]): DescriptorIndex {
  if (files.length === 0) return index;
  const declarations = files.map((file) => declarationsOf(file.proto));
  return {
    files: index.files.deleteAll(files.map((file) => file.name)),
    symbols: index.symbols.deleteAll(declarations.flatMap((declared) => declared.topLevel)),
    extensions: index.extensions.withMutations((all) => {
      for (const { extendee, number } of declarations.flatMap((declared) => declared.extensions)) {
        all.update(extendee, Map<number, string>(), (numbers) => numbers.delete(number));
      }
    }),
    servicesByShortName: index.servicesByShortName.withMutations((all) => {
      for (const name of declarations.flatMap((declared) => declared.services)) {
        all.update(shortName(name), [], (names) => names.filter((one) => one !== name));
      }
    }),
  };
}

// ── What comes ──────────────────────────────────────────────────────────────────────────────────────────────

interface Linked {
  readonly files: readonly DescriptorFile[];
  readonly violations: readonly Violation[];
}

/** `protos` linked to one another and to the files of `index`, imports first. */
function linkedFiles(index: DescriptorIndex, protos: readonly FileDescriptorProto[]): Linked {
  const waiting = new globalThis.Map(protos.map((proto) => [proto.name, proto]));
  const linked = new globalThis.Map<string, DescriptorFile>();
  const find = (name: string): DescriptorFile | undefined => linked.get(name) ?? index.files.get(name);
  const missing = protos.flatMap((proto) =>
    proto.dependency
      .filter((name) => !waiting.has(name) && !index.files.has(name))
      .map((name) => ({ pointer: '', file: proto.name, message: `imports ${name}, which is not known` })),
  );
  if (missing.length > 0) return { files: [], violations: missing };

  const open = new Set<string>();
  for (const proto of protos) {
    const pending = [proto];
    for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
      const imports = linked.has(next.name)
        ? []
        : next.dependency.flatMap((name) => (linked.has(name) ? [] : (waiting.get(name) ?? [])));
      const circle = imports.find((file) => open.has(file.name));
      if (circle !== undefined) return { files: [], violations: [circleViolation(next, circle)] };
      open.add(next.name);
      pending.push(...imports.slice(0, 1));
      if (imports.length > 0) continue;
      if (!linked.has(next.name)) linked.set(next.name, link(next, find));
      open.delete(next.name);
      pending.pop();
    }
  }
  return { files: [...linked.values()], violations: [] };
}

function circleViolation(from: FileDescriptorProto, to: FileDescriptorProto): Violation {
  return { pointer: '', file: from.name, message: `imports ${to.name}, which imports it in turn` };
}

function link(
  proto: FileDescriptorProto,
  find: (name: string) => DescriptorFile | undefined,
): DescriptorFile {
  // Built-in files that are linked anew were replaced underneath, and stay built in.
  const before = builtInFiles().get(proto.name);
  const dependencies = proto.dependency.flatMap((name) => find(name) ?? []);
  return { name: proto.name, proto, dependencies, builtIn: before?.proto === proto, pinned: false };
}

function indexed(index: DescriptorIndex, files: readonly DescriptorFile[]): DescriptorIndex {
  const declarations = files.map((file) => ({ file, declared: declarationsOf(file.proto) }));
  return {
    files: index.files.withMutations((all) => {
      for (const file of files) all.set(file.name, file);
    }),
    symbols: index.symbols.withMutations((all) => {
      for (const { file, declared } of declarations)
        for (const symbol of declared.topLevel) all.set(symbol, file.name);
    }),
    extensions: index.extensions.withMutations((all) => {
      for (const { file, declared } of declarations) {
        for (const { extendee, number } of declared.extensions) {
          all.update(extendee, Map<number, string>(), (numbers) => numbers.set(number, file.name));
        }
      }
    }),
    servicesByShortName: index.servicesByShortName.withMutations((all) => {
      for (const name of declarations.flatMap(({ declared }) => declared.services)) {
        all.update(shortName(name), [], (names) => [...new Set([...names, name])].sort());
      }
    }),
  };
}

function shortName(service: string): string {
  return service.slice(service.lastIndexOf('.') + 1);
}

// ── What may not be ─────────────────────────────────────────────────────────────────────────────────────────

function symbolConflicts(index: DescriptorIndex, files: readonly DescriptorFile[]): Violation[] {
  const owners = new globalThis.Map<string, string>();
  return files.flatMap((file) => {
    const problems: string[] = [];
    for (const symbol of declarationsOf(file.proto).topLevel) {
      const owner = owners.get(symbol) ?? index.symbols.get(symbol);
      if (owner !== undefined)
        problems.push(`defines ${symbol}, which ${owner === file.name ? 'it' : owner} defines already`);
      owners.set(symbol, file.name);
    }
    return violationsOf(file.name, problems);
  });
}

function badReferences(index: DescriptorIndex, file: DescriptorFile): Violation[] {
  const visible = visibleFiles(file);
  const problems = referenceProblems(file.proto, (name) => {
    const owner = fileDefining(index, name);
    return owner !== undefined && visible.has(owner) ? owner.proto : undefined;
  });
  return violationsOf(file.name, problems);
}
