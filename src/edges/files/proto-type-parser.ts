import { create } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  DescriptorProto_ExtensionRangeSchema,
  DescriptorProto_ReservedRangeSchema,
  EnumDescriptorProtoSchema,
  EnumDescriptorProto_EnumReservedRangeSchema,
  EnumOptionsSchema,
  EnumValueDescriptorProtoSchema,
  EnumValueOptionsSchema,
  ExtensionRangeOptionsSchema,
  MessageOptionsSchema,
  OneofDescriptorProtoSchema,
  OneofOptionsSchema,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  type SymbolVisibility,
} from '@bufbuild/protobuf/wkt';
import { parseField, type FieldPlace } from './proto-field-parser.ts';
import {
  parseName,
  parseOptionList,
  parseString,
  parseTypeName,
  type ParsedOption,
} from './proto-option-parser.ts';
import { joined, parseOptionStatement, parseVisibility, pend, type Parsing } from './proto-parsing.ts';
import { integerOf, ProtoSyntaxError, type ProtoTokens } from './proto-tokens.ts';

/** Messages in one another, in a file. */
const messageNestingMax = 32;
const fieldNumberMax = 536_870_911;
const int32Max = 2_147_483_647;

/** After the word `message`. */
export function parseMessage(
  parsing: Parsing,
  scope: string,
  visibility: SymbolVisibility | undefined,
  depth: number,
): DescriptorProto {
  const message = create(DescriptorProtoSchema, { name: parseName(parsing.tokens, 'the name of a message') });
  if (visibility !== undefined) message.visibility = visibility;
  parseMessageBody(parsing, joined(scope, message.name), message, depth);
  return message;
}

function parseMessageBody(parsing: Parsing, name: string, message: DescriptorProto, depth: number): void {
  const { tokens } = parsing;
  if (depth > messageNestingMax)
    throw new ProtoSyntaxError(tokens.line, `messages nest deeper than ${messageNestingMax} levels`);
  const options: ParsedOption[] = [];
  tokens.expect('{');
  while (!tokens.skip('}')) parseMember(parsing, name, message, options, depth);
  pend(parsing, name, MessageOptionsSchema, message, options);
  addSyntheticOneofs(message);
  if (isMessageSet(options)) widen(message);
}

function parseMember(
  parsing: Parsing,
  name: string,
  message: DescriptorProto,
  options: ParsedOption[],
  depth: number,
): void {
  const { tokens } = parsing;
  if (tokens.skip(';') || parseOptionStatement(parsing, options)) return;
  const visibility = parseVisibility(parsing);
  if (tokens.skip('message')) message.nestedType.push(parseMessage(parsing, name, visibility, depth + 1));
  else if (tokens.skip('enum')) message.enumType.push(parseEnum(parsing, name, visibility));
  else if (visibility !== undefined) throw tokens.unexpected('message or enum');
  else if (tokens.skip('extend')) parseExtend(parsing, name, message, depth);
  else if (tokens.skip('extensions')) parseExtensionRanges(parsing, name, message);
  else if (tokens.skip('reserved')) parseReserved(tokens, message);
  else if (tokens.skip('oneof')) parseOneof(parsing, name, message, depth);
  else parseField(parsing, placeIn(parsing, name, message, depth), undefined);
}

/** Where the fields of a message go, and the messages that groups and maps bring with them. */
function placeIn(parsing: Parsing, scope: string, message: DescriptorProto, depth: number): FieldPlace {
  return {
    scope,
    fields: message.field,
    messages: message.nestedType,
    body: (group, name) => parseMessageBody(parsing, name, group, depth + 1),
  };
}

function parseOneof(parsing: Parsing, scope: string, message: DescriptorProto, depth: number): void {
  const { tokens } = parsing;
  const oneof = create(OneofDescriptorProtoSchema, { name: parseName(tokens, 'the name of a oneof') });
  const oneofIndex = message.oneofDecl.push(oneof) - 1;
  const options: ParsedOption[] = [];
  tokens.expect('{');
  while (!tokens.skip('}')) {
    if (tokens.skip(';') || parseOptionStatement(parsing, options)) continue;
    parseField(parsing, { ...placeIn(parsing, scope, message, depth), oneofIndex }, undefined);
  }
  pend(parsing, scope, OneofOptionsSchema, oneof, options);
}

// A proto3 field with `optional` is alone in a oneof that nobody wrote; these come after the written ones.
function addSyntheticOneofs(message: DescriptorProto): void {
  const names = new Set([...message.field, ...message.oneofDecl].map((member) => member.name));
  for (const field of message.field) {
    if (!field.proto3Optional) continue;
    let name = field.name.startsWith('_') ? `X${field.name}` : `_${field.name}`;
    while (names.has(name)) name = `X${name}`;
    names.add(name);
    field.oneofIndex = message.oneofDecl.push(create(OneofDescriptorProtoSchema, { name })) - 1;
  }
}

function isMessageSet(options: readonly ParsedOption[]): boolean {
  return options.some(
    ({ name, value }) =>
      name[0]?.text === 'message_set_wire_format' && value.kind === 'name' && value.text === 'true',
  );
}

// A message set numbers its extensions up to the largest integer.
function widen(message: DescriptorProto): void {
  for (const range of message.extensionRange) if (range.end === fieldNumberMax + 1) range.end = int32Max;
}

/** After the word `extend`; gives the extensions, which are in `holder` then. */
export function parseExtend(
  parsing: Parsing,
  scope: string,
  holder: FileDescriptorProto | DescriptorProto,
  depth: number,
): readonly FieldDescriptorProto[] {
  const { tokens } = parsing;
  const { line } = tokens;
  const text = parseTypeName(tokens);
  const fields: FieldDescriptorProto[] = [];
  const messages = 'messageType' in holder ? holder.messageType : holder.nestedType;
  const body: FieldPlace['body'] = (group, name) => parseMessageBody(parsing, name, group, depth + 1);
  tokens.expect('{');
  while (!tokens.skip('}')) {
    if (!tokens.skip(';')) parseField(parsing, { scope, fields, messages, body }, { text, line });
  }
  holder.extension.push(...fields);
  return fields;
}

// ── Ranges ──────────────────────────────────────────────────────────────────────────────────────────────────

function parseExtensionRanges(parsing: Parsing, scope: string, message: DescriptorProto): void {
  const { tokens } = parsing;
  const ranges = parseRanges(tokens, fieldNumberMax).map(({ start, end }) =>
    create(DescriptorProto_ExtensionRangeSchema, { start, end: end + 1 }),
  );
  const options = parseOptionList(tokens);
  tokens.expect(';');
  for (const range of ranges) pend(parsing, scope, ExtensionRangeOptionsSchema, range, options);
  message.extensionRange.push(...ranges);
}

function parseReserved(tokens: ProtoTokens, message: DescriptorProto): void {
  if (isReservedName(tokens)) message.reservedName.push(...parseReservedNames(tokens));
  else {
    const ranges = parseRanges(tokens, fieldNumberMax);
    message.reservedRange.push(
      ...ranges.map(({ start, end }) => create(DescriptorProto_ReservedRangeSchema, { start, end: end + 1 })),
    );
  }
  tokens.expect(';');
}

function isReservedName(tokens: ProtoTokens): boolean {
  return tokens.kind === 'string' || tokens.kind === 'name';
}

/** Strings, or plain names in editions. */
function parseReservedNames(tokens: ProtoTokens): string[] {
  const names: string[] = [];
  do names.push(tokens.kind === 'string' ? Buffer.from(parseString(tokens)).toString() : parseName(tokens));
  while (tokens.skip(','));
  return names;
}

interface NumberRange {
  readonly start: number;
  /** Included. */
  readonly end: number;
}

function parseRanges(tokens: ProtoTokens, max: number): NumberRange[] {
  const ranges: NumberRange[] = [];
  do {
    const start = parseInteger(tokens);
    if (!tokens.skip('to')) ranges.push({ start, end: start });
    else ranges.push({ start, end: tokens.skip('max') ? max : parseInteger(tokens) });
  } while (tokens.skip(','));
  return ranges;
}

function parseInteger(tokens: ProtoTokens): number {
  const negative = tokens.skip('-');
  if (tokens.kind !== 'integer') throw tokens.unexpected('a whole number');
  const value = Number(integerOf(tokens.text));
  if (value > int32Max + 1) throw tokens.unexpected('a number of 32 bits');
  tokens.advance();
  return negative ? -value : value;
}

// ── Enums ───────────────────────────────────────────────────────────────────────────────────────────────────

/** After the word `enum`. */
export function parseEnum(
  parsing: Parsing,
  scope: string,
  visibility: SymbolVisibility | undefined,
): EnumDescriptorProto {
  const { tokens } = parsing;
  const type = create(EnumDescriptorProtoSchema, { name: parseName(tokens, 'the name of an enum') });
  if (visibility !== undefined) type.visibility = visibility;
  const options: ParsedOption[] = [];
  tokens.expect('{');
  while (!tokens.skip('}')) {
    if (tokens.skip(';') || parseOptionStatement(parsing, options)) continue;
    parseEnumMember(parsing, scope, type);
  }
  pend(parsing, scope, EnumOptionsSchema, type, options);
  return type;
}

function parseEnumMember(parsing: Parsing, scope: string, type: EnumDescriptorProto): void {
  const { tokens } = parsing;
  const name = parseName(tokens, 'the name of a value');
  // A value may be named `reserved` as well.
  if (name === 'reserved' && !tokens.is('=')) return parseEnumReserved(tokens, type);
  tokens.expect('=');
  const value = create(EnumValueDescriptorProtoSchema, { name, number: parseInteger(tokens) });
  pend(parsing, scope, EnumValueOptionsSchema, value, parseOptionList(tokens));
  tokens.expect(';');
  type.value.push(value);
  return undefined;
}

function parseEnumReserved(tokens: ProtoTokens, type: EnumDescriptorProto): void {
  if (isReservedName(tokens)) type.reservedName.push(...parseReservedNames(tokens));
  else {
    const ranges = parseRanges(tokens, int32Max);
    type.reservedRange.push(
      ...ranges.map((range) => create(EnumDescriptorProto_EnumReservedRangeSchema, { ...range })),
    );
  }
  tokens.expect(';');
}
