import { create, mergeFromBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  FieldDescriptorProto_Type as Type,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import type { MessageField, OptionNamePart, OptionValue, ParsedOption } from './proto-option-parser.ts';
import type { PendingOptions } from './proto-parsing.ts';
import { writeScalar } from './proto-option-scalars.ts';
import type { ProtoView } from './proto-symbols.ts';

/** An option that nothing defines, or whose value does not fit. */
class OptionProblem extends Error {}

/**
 * Gives `holder` its options: the ones of `descriptor.proto` as fields, all others as the unknown fields that they are on
 * the wire, so that whoever knows the extension can read them. What nothing defines is left out.
 */
export function encodeOptions({ scope, schema, holder, options }: PendingOptions, view: ProtoView): void {
  const message = holder.options ?? create(schema);
  for (const option of options) {
    const bytes = encodedOption(schema.proto, option, scope, view);
    if (bytes !== undefined) mergeFromBinary(schema, message, bytes);
  }
  Object.assign(holder, { options: message });
}

// One for all, because each has a buffer of its own, and there are hundreds of thousands of options.
const writer = new BinaryWriter();

function encodedOption(
  type: DescriptorProto,
  option: ParsedOption,
  scope: string,
  view: ProtoView,
): Uint8Array | undefined {
  try {
    writePath(writer, type, option.name, option.value, { scope, view });
    return writer.finish();
  } catch (problem) {
    // What was written of it goes.
    writer.finish();
    if (problem instanceof OptionProblem) return undefined;
    throw problem;
  }
}

interface Seen {
  readonly scope: string;
  readonly view: ProtoView;
}

/** `(a).b.c = value`: a message in a message in a message. */
function writePath(
  writer: BinaryWriter,
  type: DescriptorProto,
  [part, ...others]: readonly OptionNamePart[],
  value: OptionValue,
  seen: Seen,
): void {
  if (part === undefined) throw new OptionProblem('an option has no name');
  const field = part.isExtension ? extensionNamed(part.text, seen) : fieldNamed(type, part.text);
  if (others.length === 0) return writeField(writer, field, value, seen);
  const inner = messageOf(field, seen);
  return writeInside(writer, field, () => writePath(writer, inner, others, value, seen));
}

function fieldNamed(type: DescriptorProto, name: string): FieldDescriptorProto {
  // A group is written by the name of its message.
  const isField = (field: FieldDescriptorProto): boolean =>
    field.name === name || (field.type === Type.GROUP && field.typeName.endsWith(`.${name}`));
  return type.field.find(isField) ?? refuse(`${type.name} has no field ${name}`);
}

function extensionNamed(text: string, { scope, view }: Seen): FieldDescriptorProto {
  const found = view.resolve(scope, text, 'extension');
  return found?.symbol.kind === 'extension' ? found.symbol.proto : refuse(`the option ${text} is not known`);
}

function writeField(writer: BinaryWriter, field: FieldDescriptorProto, value: OptionValue, seen: Seen): void {
  if (value.kind === 'list') for (const item of value.items) writeField(writer, field, item, seen);
  else if (field.type === Type.MESSAGE || field.type === Type.GROUP)
    writeMessageField(writer, field, value, seen);
  else if (field.type === Type.ENUM) {
    writer.tag(field.number, WireType.Varint).int32(enumNumber(enumOf(field, seen), value));
  } else if (!writeScalar(writer, field.number, field.type, value))
    refuse(`a value does not fit ${field.name}`);
}

function writeMessageField(
  writer: BinaryWriter,
  field: FieldDescriptorProto,
  value: OptionValue,
  seen: Seen,
): void {
  if (value.kind !== 'message') throw new OptionProblem(`${field.name} takes a message`);
  const type = messageOf(field, seen);
  writeInside(writer, field, () => {
    for (const inner of value.fields) writeTextField(writer, type, inner, seen);
  });
}

function writeTextField(
  writer: BinaryWriter,
  type: DescriptorProto,
  { name, inBrackets, value }: MessageField,
  seen: Seen,
): void {
  if (!inBrackets) writeField(writer, fieldNamed(type, name), value, seen);
  else if (name.includes('/')) writeAny(writer, name, value, seen);
  else writeField(writer, extensionNamed(name, seen), value, seen);
}

/** `[type.googleapis.com/a.B] { … }` inside a google.protobuf.Any. */
function writeAny(writer: BinaryWriter, url: string, value: OptionValue, seen: Seen): void {
  const symbol = seen.view.exactly(url.slice(url.lastIndexOf('/') + 1));
  if (symbol?.kind !== 'message' || value.kind !== 'message')
    throw new OptionProblem(`the type ${url} is not known`);
  writer.tag(1, WireType.LengthDelimited).string(url);
  writer.tag(2, WireType.LengthDelimited).fork();
  for (const field of value.fields) writeTextField(writer, symbol.proto, field, seen);
  writer.join();
}

function writeInside(writer: BinaryWriter, field: FieldDescriptorProto, write: () => void): void {
  if (field.type === Type.GROUP) {
    writer.tag(field.number, WireType.StartGroup);
    write();
    writer.tag(field.number, WireType.EndGroup);
  } else {
    writer.tag(field.number, WireType.LengthDelimited).fork();
    write();
    writer.join();
  }
}

function messageOf(field: FieldDescriptorProto, { view }: Seen): DescriptorProto {
  const symbol = symbolOf(field, view);
  return symbol?.kind === 'message' ? symbol.proto : refuse(`${field.name} is no message`);
}

function enumOf(field: FieldDescriptorProto, { view }: Seen): EnumDescriptorProto {
  const symbol = symbolOf(field, view);
  return symbol?.kind === 'enum' ? symbol.proto : refuse(`${field.name} is no enum`);
}

function symbolOf(field: FieldDescriptorProto, view: ProtoView): ReturnType<ProtoView['anywhere']> {
  return view.anywhere(field.typeName.slice(1));
}

function enumNumber(type: EnumDescriptorProto, value: OptionValue): number {
  if (value.kind === 'integer') return Number(BigInt.asIntN(32, value.value));
  const named =
    value.kind === 'name' && !value.negative ? type.value.find(({ name }) => name === value.text) : undefined;
  return named?.number ?? refuse(`${type.name} has no such value`);
}

function refuse(problem: string): never {
  throw new OptionProblem(problem);
}
