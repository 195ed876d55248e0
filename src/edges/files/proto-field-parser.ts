import { create, isFieldSet, type MessageInitShape } from '@bufbuild/protobuf';
import { protoCamelCase } from '@bufbuild/protobuf/reflect';
import {
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FieldOptionsSchema,
  MessageOptionsSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { defaultText } from './proto-default-value.ts';
import { parseName, parseOptionList, parseTypeName, type ParsedOption } from './proto-option-parser.ts';
import { joined, pend, type Parsing } from './proto-parsing.ts';
import { integerOf, ProtoSyntaxError } from './proto-tokens.ts';

/** Where a field goes. */
export interface FieldPlace {
  /** The full name around it. */
  readonly scope: string;
  readonly fields: FieldDescriptorProto[];
  /** Takes the messages that groups and maps bring with them. */
  readonly messages: DescriptorProto[];
  readonly oneofIndex?: number;
  /** Parses the body of a group. */
  readonly body: (group: DescriptorProto, name: string) => void;
}

export interface Extendee {
  readonly text: string;
  readonly line: number;
}

const scalarTypes: ReadonlyMap<string, Type> = new Map([
  ['double', Type.DOUBLE],
  ['float', Type.FLOAT],
  ['int64', Type.INT64],
  ['uint64', Type.UINT64],
  ['int32', Type.INT32],
  ['fixed64', Type.FIXED64],
  ['fixed32', Type.FIXED32],
  ['bool', Type.BOOL],
  ['string', Type.STRING],
  ['bytes', Type.BYTES],
  ['uint32', Type.UINT32],
  ['sfixed32', Type.SFIXED32],
  ['sfixed64', Type.SFIXED64],
  ['sint32', Type.SINT32],
  ['sint64', Type.SINT64],
]);

/** One field, map or group. */
export function parseField(parsing: Parsing, place: FieldPlace, extendee: Extendee | undefined): void {
  const { tokens, file } = parsing;
  const { line } = tokens;
  const label = parseLabel(parsing, place);
  const text = parseTypeName(tokens, 'a field');
  if (text === 'map' && tokens.is('<')) {
    if (label !== undefined || extendee !== undefined || place.oneofIndex !== undefined)
      throw new ProtoSyntaxError(line, 'a map cannot be here');
    return parseMapField(parsing, place);
  }
  const isProto2 = file.syntax === '';
  if (isProto2 && label === undefined && place.oneofIndex === undefined) {
    throw new ProtoSyntaxError(line, `expected optional, required or repeated before "${text}"`);
  }
  const field = create(FieldDescriptorProtoSchema, { label: label ?? Label.OPTIONAL });
  if (label === Label.OPTIONAL && file.syntax === 'proto3') field.proto3Optional = true;
  if (place.oneofIndex !== undefined) field.oneofIndex = place.oneofIndex;
  if (extendee !== undefined)
    parsing.references.push({ scope: place.scope, ...extendee, holder: field, property: 'extendee' });
  if (text === 'group' && !tokens.is('.')) return parseGroup(parsing, place, field);
  setType(parsing, place.scope, field, text, line);
  parseNameAndNumber(parsing, field);
  finishField(parsing, place, field);
  tokens.expect(';');
  return undefined;
}

function parseLabel({ tokens, file }: Parsing, place: FieldPlace): Label | undefined {
  const { line, text } = tokens;
  const label = tokens.kind === 'name' ? labels.get(text) : undefined;
  if (label === undefined) return undefined;
  tokens.advance();
  const isEdition = file.syntax === 'editions';
  const isMisplaced =
    place.oneofIndex !== undefined ||
    (label === Label.REQUIRED && file.syntax !== '') ||
    (label === Label.OPTIONAL && isEdition);
  if (isMisplaced) throw new ProtoSyntaxError(line, `${text} cannot be here`);
  return label;
}

const labels: ReadonlyMap<string, Label> = new Map([
  ['optional', Label.OPTIONAL],
  ['required', Label.REQUIRED],
  ['repeated', Label.REPEATED],
]);

function setType(
  parsing: Parsing,
  scope: string,
  field: FieldDescriptorProto,
  text: string,
  line: number,
): void {
  const type = scalarTypes.get(text);
  // The type of a named type is known when the name is found.
  if (type === undefined) parsing.references.push({ scope, text, line, holder: field, property: 'typeName' });
  else field.type = type;
}

function parseNameAndNumber({ tokens }: Parsing, field: FieldDescriptorProto): void {
  field.name = parseName(tokens, 'the name of a field');
  field.jsonName = protoCamelCase(field.name);
  tokens.expect('=');
  if (tokens.kind !== 'integer') throw tokens.unexpected('the number of a field');
  const number = integerOf(tokens.text);
  if (number < 1n || number > 2_147_483_647n) throw tokens.unexpected('the number of a field');
  field.number = Number(number);
  tokens.advance();
}

/** Options, and into the message with it. */
function finishField(parsing: Parsing, place: FieldPlace, field: FieldDescriptorProto): void {
  const options: ParsedOption[] = [];
  for (const option of parseOptionList(parsing.tokens)) {
    if (!setPseudoOption(field, option)) options.push(option);
  }
  pend(parsing, place.scope, FieldOptionsSchema, field, options);
  place.fields.push(field);
}

// Two things are written like options, but are fields of the descriptor.
function setPseudoOption(field: FieldDescriptorProto, { name, value, line }: ParsedOption): boolean {
  const [part, ...others] = name;
  if (part === undefined || part.isExtension || others.length > 0) return false;
  if (part.text === 'default') {
    // An unset type reads as the first of all types.
    const isScalar = isFieldSet(field, FieldDescriptorProtoSchema.field.type);
    const text = defaultText(isScalar ? field.type : 0, value);
    if (text === undefined)
      throw new ProtoSyntaxError(line, `the default of ${field.name} does not fit its type`);
    field.defaultValue = text;
    return true;
  }
  if (part.text !== 'json_name') return false;
  if (value.kind !== 'string') throw new ProtoSyntaxError(line, 'json_name takes a string');
  field.jsonName = Buffer.from(value.bytes).toString();
  return true;
}

// ── Groups and maps: a field and a message in one ───────────────────────────────────────────────────────────

/** After the word `group` (proto2). */
function parseGroup(parsing: Parsing, place: FieldPlace, field: FieldDescriptorProto): void {
  const { tokens, file } = parsing;
  if (file.syntax !== '') throw tokens.unexpected('no group: they are of proto2 alone');
  parseNameAndNumber(parsing, field);
  const group = create(DescriptorProtoSchema, { name: field.name });
  const name = joined(place.scope, group.name);
  field.name = field.name.toLowerCase();
  field.jsonName = protoCamelCase(field.name);
  field.type = Type.GROUP;
  field.typeName = `.${name}`;
  place.messages.push(group);
  finishField(parsing, place, field);
  place.body(group, name);
}

/** After the word `map`. */
function parseMapField(parsing: Parsing, place: FieldPlace): void {
  const { tokens } = parsing;
  tokens.expect('<');
  const keyText = parseName(tokens, 'the type of a key');
  const keyType = scalarTypes.get(keyText);
  const badKeys: readonly (Type | undefined)[] = [undefined, Type.FLOAT, Type.DOUBLE, Type.BYTES];
  if (badKeys.includes(keyType))
    throw new ProtoSyntaxError(tokens.line, `${keyText} cannot be the type of a key`);
  tokens.expect(',');
  const { line } = tokens;
  const valueText = parseTypeName(tokens);
  tokens.expect('>');
  const field = create(FieldDescriptorProtoSchema, { label: Label.REPEATED, type: Type.MESSAGE });
  parseNameAndNumber(parsing, field);
  const key = entryField({
    name: 'key',
    number: 1,
    jsonName: 'key',
    ...(keyType === undefined ? {} : { type: keyType }),
  });
  const value = entryField({ name: 'value', number: 2, jsonName: 'value' });
  const entry = create(DescriptorProtoSchema, {
    name: entryName(field.name),
    field: [key, value],
    options: create(MessageOptionsSchema, { mapEntry: true }),
  });
  setType(parsing, place.scope, value, valueText, line);
  field.typeName = `.${joined(place.scope, entry.name)}`;
  place.messages.push(entry);
  finishField(parsing, place, field);
  tokens.expect(';');
}

function entryField(content: MessageInitShape<typeof FieldDescriptorProtoSchema>): FieldDescriptorProto {
  return create(FieldDescriptorProtoSchema, { label: Label.OPTIONAL, ...content });
}

function entryName(field: string): string {
  return `${field.replace(/(?:^|_+)(.?)/g, (_, letter: string) => letter.toUpperCase())}Entry`;
}
