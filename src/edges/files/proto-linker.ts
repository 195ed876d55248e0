import { FieldDescriptorProto_Type as Type, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import type { ParsedProto, TypeReference } from './proto-parsing.ts';
import { encodeOptions } from './proto-option-encoder.ts';
import { ProtoSymbols, ProtoView, type SymbolFile } from './proto-symbols.ts';

/** What is wrong with a file, for people. */
export interface ProtoProblem {
  readonly file: string;
  /** Counts from 1. */
  readonly line?: number;
  readonly message: string;
}

/** A parsed file, where it came from, and what it imports: parsed files and files that are known already. */
export interface ProtoFile extends SymbolFile {
  /** The path that people know it by. */
  readonly path: string;
  readonly parsed: ParsedProto;
}

/**
 * Finds the types that the files name and writes their full names into the descriptors, then reads their options. Gives
 * what could not be found. Options that nothing defines are left out: they change no message.
 */
export function linkProtos(
  files: readonly ProtoFile[],
  known: readonly FileDescriptorProto[],
): ProtoProblem[] {
  const symbols = new ProtoSymbols();
  for (const file of [...files.map(({ proto }) => proto), ...known]) symbols.add(file);
  const views = files.map((file) => ({ file, view: new ProtoView(symbols, file) }));
  // What a lost import would have defined is no second problem.
  const whole = views.filter(({ file }) => [file, ...file.dependencies].every(hasAllImports));
  const problems = [
    ...duplicates(files),
    ...whole.flatMap(({ file, view }) => linkFile(file, view, symbols)),
  ];
  if (problems.length > 0) return problems;
  for (const { file, view } of views) for (const pending of file.parsed.options) encodeOptions(pending, view);
  return [];
}

function hasAllImports({ proto, dependencies }: SymbolFile): boolean {
  return dependencies.length === proto.dependency.length;
}

function duplicates(files: readonly ProtoFile[]): ProtoProblem[] {
  const owners = new Map<string, { readonly path: string; readonly line: number }>();
  return files.flatMap(({ path, parsed }) =>
    parsed.declarations.flatMap(({ name, line }) => {
      const owner = owners.get(name);
      owners.set(name, owner ?? { path, line });
      if (owner === undefined) return [];
      const where = owner.path === path ? `line ${owner.line}` : `${owner.path} (line ${owner.line})`;
      return [
        {
          file: path,
          line,
          message: `defines ${name}, which ${where} defines already; both cannot be loaded together`,
        },
      ];
    }),
  );
}

function linkFile(file: ProtoFile, view: ProtoView, symbols: ProtoSymbols): ProtoProblem[] {
  return file.parsed.references.flatMap((reference) => {
    const problem = linkReference(reference, view, symbols);
    return problem === undefined ? [] : [{ file: file.path, line: reference.line, message: problem }];
  });
}

function linkReference(reference: TypeReference, view: ProtoView, symbols: ProtoSymbols): string | undefined {
  const { scope, text } = reference;
  const found = view.resolve(scope, text, 'type');
  if (found === undefined || found.symbol.kind === 'extension') return unknownType(text, symbols);
  const { kind } = found.symbol;
  const name = `.${found.name}`;
  switch (reference.property) {
    case 'typeName':
      reference.holder.typeName = name;
      reference.holder.type = kind === 'enum' ? Type.ENUM : Type.MESSAGE;
      return undefined;
    case 'extendee':
      reference.holder.extendee = name;
      break;
    default:
      reference.holder[reference.property] = name;
  }
  return kind === 'message' ? undefined : `expected a message, but ${text} is an enum`;
}

function unknownType(text: string, symbols: ProtoSymbols): string {
  const [elsewhere] = symbols.named(text.startsWith('.') ? text.slice(1) : text);
  const hint = elsewhere === undefined ? '' : `; ${elsewhere.file} defines it, but is not imported`;
  return `the type ${text} is not known${hint}`;
}
