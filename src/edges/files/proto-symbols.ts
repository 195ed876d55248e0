import type {
  DescriptorProto,
  EnumDescriptorProto,
  FieldDescriptorProto,
  FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { joined } from './proto-parsing.ts';

/** What stands behind a full name. */
export type ProtoSymbol =
  | { readonly kind: 'message'; readonly file: string; readonly proto: DescriptorProto }
  | { readonly kind: 'enum'; readonly file: string; readonly proto: EnumDescriptorProto }
  | { readonly kind: 'extension'; readonly file: string; readonly proto: FieldDescriptorProto };

/** A file with what it imports, as far as finding names needs it. */
export interface SymbolFile {
  readonly proto: FileDescriptorProto;
  /** In the order of `proto.dependency`; what could not be found is missing. */
  readonly dependencies: readonly SymbolFile[];
  /** Imported for what options are made of (edition 2024). */
  readonly optionDependencies: readonly SymbolFile[];
}

/** The names that files define; one name may be defined by several files that do not see each other. */
export class ProtoSymbols {
  readonly #symbols = new Map<string, ProtoSymbol[]>();

  add(file: FileDescriptorProto): void {
    this.#addTypes(file.name, file.package, file.messageType, file.enumType, file.extension);
  }

  named(name: string): readonly ProtoSymbol[] {
    return this.#symbols.get(name) ?? [];
  }

  #addTypes(
    file: string,
    scope: string,
    messages: readonly DescriptorProto[],
    enums: readonly EnumDescriptorProto[],
    extensions: readonly FieldDescriptorProto[],
  ): void {
    for (const proto of enums) this.#put(joined(scope, proto.name), { kind: 'enum', file, proto });
    for (const proto of extensions) this.#put(joined(scope, proto.name), { kind: 'extension', file, proto });
    for (const proto of messages) {
      const name = joined(scope, proto.name);
      this.#put(name, { kind: 'message', file, proto });
      this.#addTypes(file, name, proto.nestedType, proto.enumType, proto.extension);
    }
  }

  #put(name: string, symbol: ProtoSymbol): void {
    const known = this.#symbols.get(name);
    if (known === undefined) this.#symbols.set(name, [symbol]);
    else known.push(symbol);
  }
}

/** What one file sees of all names: its own, those of its imports, and those that the imports import publicly. */
export class ProtoView {
  readonly #symbols: ProtoSymbols;
  readonly #files: ReadonlySet<string>;
  readonly #packages: ReadonlySet<string>;
  readonly #resolved = new Map<string, Map<string, FoundSymbol | undefined>>();

  constructor(symbols: ProtoSymbols, file: SymbolFile) {
    const visible = visibleFiles(file);
    this.#symbols = symbols;
    this.#files = new Set(visible.map(({ proto }) => proto.name));
    this.#packages = new Set(visible.flatMap(({ proto }) => prefixes(proto.package)));
  }

  /** The thing with this full name. */
  exactly(name: string): ProtoSymbol | undefined {
    return this.#symbols.named(name).find((symbol) => this.#files.has(symbol.file));
  }

  /** The thing with this full name, seen or not: what a field of an option that is seen is made of. */
  anywhere(name: string): ProtoSymbol | undefined {
    return this.exactly(name) ?? this.#symbols.named(name)[0];
  }

  /**
   * The thing that `text` names, seen from `scope`, with its full name: the first part is looked for from the innermost
   * scope outwards, and the rest inside of what is found (https://protobuf.com/docs/language-spec#relative-references).
   */
  resolve(scope: string, text: string, wanted: 'type' | 'extension'): FoundSymbol | undefined {
    let inScope = this.#resolved.get(scope);
    if (inScope === undefined) this.#resolved.set(scope, (inScope = new Map()));
    // No name is wanted as a type here and as an extension there.
    if (!inScope.has(text)) inScope.set(text, this.#resolve(scope, text, wanted));
    return inScope.get(text);
  }

  #resolve(scope: string, text: string, wanted: 'type' | 'extension'): FoundSymbol | undefined {
    if (text.startsWith('.')) return this.#found(text.slice(1));
    const dot = text.indexOf('.');
    const first = dot === -1 ? text : text.slice(0, dot);
    for (let around: string | undefined = scope; around !== undefined; around = outer(around)) {
      if (dot !== -1) {
        if (this.#isScope(joined(around, first))) return this.#found(joined(around, text));
        continue;
      }
      const found = this.#found(joined(around, text));
      if (found !== undefined && (found.symbol.kind === 'extension') === (wanted === 'extension'))
        return found;
    }
    return undefined;
  }

  #found(name: string): FoundSymbol | undefined {
    const symbol = this.exactly(name);
    return symbol === undefined ? undefined : { name, symbol };
  }

  #isScope(name: string): boolean {
    const kind = this.exactly(name)?.kind;
    return kind === 'message' || kind === 'enum' || this.#packages.has(name);
  }
}

export interface FoundSymbol {
  readonly name: string;
  readonly symbol: ProtoSymbol;
}

function outer(scope: string): string | undefined {
  return scope === '' ? undefined : scope.slice(0, Math.max(0, scope.lastIndexOf('.')));
}

function prefixes(name: string): string[] {
  if (name === '') return [];
  const parts = name.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

function visibleFiles(file: SymbolFile): readonly SymbolFile[] {
  const found = new Set([file, ...file.dependencies, ...file.optionDependencies]);
  // A set that grows while it is gone through is gone through to its new end.
  for (const one of found) {
    const byName = new Map(one.dependencies.map((dependency) => [dependency.proto.name, dependency]));
    for (const index of one.proto.publicDependency) {
      const dependency = byName.get(one.proto.dependency[index] ?? '');
      if (dependency !== undefined) found.add(dependency);
    }
  }
  return [...found];
}
