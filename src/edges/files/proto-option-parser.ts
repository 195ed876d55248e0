import { integerOf, ProtoSyntaxError, stringBytes, type ProtoTokens } from './proto-tokens.ts';

/** An option as it stands in the file: what it sets, and to what. */
export interface ParsedOption {
  readonly name: readonly OptionNamePart[];
  readonly value: OptionValue;
  readonly line: number;
}

export interface OptionNamePart {
  /** May be a qualified name, and begin with a dot, when it is an extension. */
  readonly text: string;
  readonly isExtension: boolean;
}

export type OptionValue =
  | { readonly kind: 'name'; readonly text: string; readonly negative: boolean }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly bytes: Uint8Array }
  | { readonly kind: 'message'; readonly fields: readonly MessageField[] }
  | { readonly kind: 'list'; readonly items: readonly OptionValue[] };

/** A field of a message in text format; in brackets, `name` is an extension or the URL of an Any's type. */
export interface MessageField {
  readonly name: string;
  readonly inBrackets: boolean;
  readonly value: OptionValue;
  readonly line: number;
}

/** Messages in one another, in the value of an option. */
const valueDepthMax = 100;

/** After the word `option`: `name = value`. */
export function parseOption(tokens: ProtoTokens): ParsedOption {
  const { line } = tokens;
  const name = [parseNamePart(tokens)];
  while (tokens.skip('.')) name.push(parseNamePart(tokens));
  tokens.expect('=');
  return { name, value: parseValue(tokens), line };
}

/** `[name = value, …]`, if it is there. */
export function parseOptionList(tokens: ProtoTokens): ParsedOption[] {
  const options: ParsedOption[] = [];
  if (!tokens.skip('[')) return options;
  do options.push(parseOption(tokens));
  while (tokens.skip(','));
  tokens.expect(']');
  return options;
}

function parseNamePart(tokens: ProtoTokens): OptionNamePart {
  if (!tokens.skip('(')) return { text: parseName(tokens), isExtension: false };
  const text = parseTypeName(tokens);
  tokens.expect(')');
  return { text, isExtension: true };
}

export function parseName(tokens: ProtoTokens, what = 'a name'): string {
  if (tokens.kind !== 'name') throw tokens.unexpected(what);
  const { text } = tokens;
  tokens.advance();
  return text;
}

/** `a`, `a.b`, `.a.b` */
export function parseTypeName(tokens: ProtoTokens, what = 'the name of a type'): string {
  let text = tokens.skip('.') ? '.' : '';
  text += parseName(tokens, what);
  while (tokens.skip('.')) text += `.${parseName(tokens, what)}`;
  return text;
}

function parseValue(tokens: ProtoTokens): OptionValue {
  return tokens.is('{') ? parseMessage(tokens, '}', 1) : parseScalar(tokens);
}

/** A name, a number or a string, with a sign or without. */
function parseScalar(tokens: ProtoTokens): OptionValue {
  if (tokens.kind === 'string') return { kind: 'string', bytes: parseString(tokens) };
  const negative = tokens.skip('-');
  if (!negative) tokens.skip('+');
  const { kind, text } = tokens;
  if (kind !== 'name' && kind !== 'integer' && kind !== 'float') throw tokens.unexpected('a value');
  tokens.advance();
  if (kind === 'name') return { kind, text, negative };
  if (kind === 'float') return { kind, value: negative ? -Number(text) : Number(text) };
  // A negative zero is only a float.
  const value = integerOf(text);
  return negative && value === 0n ? { kind: 'float', value: -0 } : { kind, value: negative ? -value : value };
}

/** Strings that follow one another are one. */
export function parseString(tokens: ProtoTokens): Uint8Array {
  const parts: Uint8Array[] = [];
  while (tokens.kind === 'string') {
    parts.push(stringBytes(tokens.text, tokens.line));
    tokens.advance();
  }
  if (parts.length === 0) throw tokens.unexpected('a string');
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : new Uint8Array(Buffer.concat(parts));
}

/** A message in text format (https://protobuf.dev/reference/protobuf/textformat-spec/), from its opening bracket. */
function parseMessage(tokens: ProtoTokens, close: '}' | '>', depth: number): OptionValue {
  if (depth > valueDepthMax)
    throw new ProtoSyntaxError(tokens.line, `a value nests deeper than ${valueDepthMax} levels`);
  const fields: MessageField[] = [];
  tokens.advance();
  while (!tokens.skip(close)) {
    fields.push(parseField(tokens, depth));
    if (!tokens.skip(',')) tokens.skip(';');
  }
  return { kind: 'message', fields };
}

function parseField(tokens: ProtoTokens, depth: number): MessageField {
  const { line } = tokens;
  const inBrackets = tokens.skip('[');
  const name = inBrackets ? parseBracketName(tokens) : parseName(tokens, 'the name of a field');
  const hasColon = tokens.skip(':');
  if (!hasColon && !tokens.is('{') && !tokens.is('<') && !tokens.is('[')) throw tokens.unexpected('":"');
  return { name, inBrackets, value: parseFieldValue(tokens, depth), line };
}

function parseBracketName(tokens: ProtoTokens): string {
  let name = parseTypeName(tokens);
  while (tokens.skip('/')) name += `/${parseTypeName(tokens)}`;
  tokens.expect(']');
  return name;
}

function parseFieldValue(tokens: ProtoTokens, depth: number): OptionValue {
  if (tokens.is('{')) return parseMessage(tokens, '}', depth + 1);
  if (tokens.is('<')) return parseMessage(tokens, '>', depth + 1);
  if (!tokens.skip('[')) return parseScalar(tokens);
  const items: OptionValue[] = [];
  if (tokens.skip(']')) return { kind: 'list', items };
  do items.push(tokens.is('{') || tokens.is('<') ? parseFieldValue(tokens, depth) : parseScalar(tokens));
  while (tokens.skip(','));
  tokens.expect(']');
  return { kind: 'list', items };
}
