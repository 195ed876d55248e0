import type { DescMessage, Message } from '@bufbuild/protobuf';
import {
  Edition,
  SymbolVisibility,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { parseOption, type ParsedOption } from './proto-option-parser.ts';
import type { ProtoTokens } from './proto-tokens.ts';

/** A `.proto` file by itself: names of types stand in it as they were written, and options are not in it yet. */
export interface ParsedProto {
  readonly proto: FileDescriptorProto;
  readonly imports: readonly ParsedImport[];
  readonly references: readonly TypeReference[];
  readonly options: readonly PendingOptions[];
  /** What stands at the top of the file, by full name. */
  readonly declarations: readonly Declaration[];
}

/** An import: of types when it is in `proto.dependency`, else (`proto.optionDependency`) only of options. */
export interface ParsedImport {
  readonly name: string;
  readonly line: number;
  readonly isOption: boolean;
}

export interface Declaration {
  readonly name: string;
  readonly line: number;
}

/** A name of a type that is to be found, seen from `scope`, and written into `holder`. */
export type TypeReference = { readonly scope: string; readonly text: string; readonly line: number } & (
  | { readonly property: 'typeName' | 'extendee'; readonly holder: FieldDescriptorProto }
  | { readonly property: 'inputType' | 'outputType'; readonly holder: MethodDescriptorProto }
);

/** Options that are to become the `options` of `holder`. */
export interface PendingOptions {
  readonly scope: string;
  readonly schema: DescMessage;
  readonly holder: { options?: Message | undefined };
  readonly options: readonly ParsedOption[];
}

/** What parsing a file has at hand, and what it collects. */
export interface Parsing {
  readonly tokens: ProtoTokens;
  readonly file: FileDescriptorProto;
  readonly imports: ParsedImport[];
  readonly references: TypeReference[];
  readonly options: PendingOptions[];
  readonly declarations: Declaration[];
}

/** Keeps options for the linker; without any, the holder stays without. */
export function pend(
  parsing: Parsing,
  scope: string,
  schema: DescMessage,
  holder: PendingOptions['holder'],
  options: readonly ParsedOption[],
): void {
  if (options.length === 0) return;
  parsing.options.push({ scope, schema, holder, options });
}

/** A whole statement `option name = value;`, when the current token begins one. */
export function parseOptionStatement({ tokens }: Parsing, options: ParsedOption[]): boolean {
  if (!tokens.skip('option')) return false;
  options.push(parseOption(tokens));
  tokens.expect(';');
  return true;
}

/** `export` or `local`, from edition 2024 on. */
export function parseVisibility({ tokens, file }: Parsing): SymbolVisibility | undefined {
  if (file.edition < Edition.EDITION_2024) return undefined;
  if (tokens.skip('export')) return SymbolVisibility.VISIBILITY_EXPORT;
  return tokens.skip('local') ? SymbolVisibility.VISIBILITY_LOCAL : undefined;
}

export function declare(parsing: Parsing, scope: string, name: string, line: number): void {
  parsing.declarations.push({ name: joined(scope, name), line });
}

export function joined(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}
