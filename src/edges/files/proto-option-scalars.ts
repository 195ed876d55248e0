import { WireType, type BinaryWriter } from '@bufbuild/protobuf/wire';
import { FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt';
import type { OptionValue } from './proto-option-parser.ts';

/** Writes a field of a scalar type; false when the value does not fit it, and then nothing is written. */
export function writeScalar(writer: BinaryWriter, number: number, type: Type, value: OptionValue): boolean {
  switch (type) {
    case Type.STRING:
    case Type.BYTES:
      if (value.kind === 'string') writer.tag(number, WireType.LengthDelimited).bytes(value.bytes);
      return value.kind === 'string';
    case Type.BOOL:
      return writeBool(writer, number, value);
    case Type.FLOAT:
    case Type.DOUBLE:
      return writeFloat(writer, number, type, value);
    default:
      return writeInteger(writer, number, type, wholeOf(value));
  }
}

function writeBool(writer: BinaryWriter, number: number, value: OptionValue): boolean {
  const text = value.kind === 'name' ? value.text : undefined;
  const isTrue =
    text === 'true' || text === 't' || text === 'True' || (value.kind === 'integer' && value.value === 1n);
  const isFalse =
    text === 'false' || text === 'f' || text === 'False' || (value.kind === 'integer' && value.value === 0n);
  if (isTrue || isFalse) writer.tag(number, WireType.Varint).bool(isTrue);
  return isTrue || isFalse;
}

function writeFloat(writer: BinaryWriter, number: number, type: Type, value: OptionValue): boolean {
  const float = floatOf(value);
  if (float === undefined) return false;
  if (type === Type.DOUBLE) writer.tag(number, WireType.Bit64).double(float);
  // Too large for 32 bits is infinite.
  else writer.tag(number, WireType.Bit32).float(Math.fround(float));
  return true;
}

/** The number that a value stands for in a field of floating point. */
export function floatOf(value: OptionValue): number | undefined {
  if (value.kind === 'integer') return Number(value.value);
  if (value.kind === 'float') return value.value;
  if (value.kind !== 'name') return undefined;
  const sign = value.negative ? -1 : 1;
  const name = value.text.toLowerCase();
  if (name === 'inf' || name === 'infinity') return sign * Infinity;
  return name === 'nan' ? NaN : undefined;
}

/** A negative zero is parsed as a float, and is a whole number all the same. */
function wholeOf(value: OptionValue): bigint | undefined {
  if (value.kind === 'float' && value.value === 0) return 0n;
  return value.kind === 'integer' ? value.value : undefined;
}

function writeInteger(writer: BinaryWriter, number: number, type: Type, value: bigint | undefined): boolean {
  if (value === undefined) return false;
  const isUnsigned = unsigned.has(type);
  const bits = narrow.has(type) ? 32 : 64;
  const fits = value === (isUnsigned ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value));
  const write = integerWriters.get(type);
  if (fits && write !== undefined) write(writer, number, value);
  return fits && write !== undefined;
}

const unsigned: ReadonlySet<Type> = new Set([Type.UINT32, Type.FIXED32, Type.UINT64, Type.FIXED64]);
const narrow: ReadonlySet<Type> = new Set([
  Type.INT32,
  Type.UINT32,
  Type.SINT32,
  Type.FIXED32,
  Type.SFIXED32,
]);

type IntegerWriter = (writer: BinaryWriter, number: number, value: bigint) => void;

const integerWriters: ReadonlyMap<Type, IntegerWriter> = new Map<Type, IntegerWriter>([
  [Type.INT32, (writer, number, value) => writer.tag(number, WireType.Varint).int32(Number(value))],
  [Type.UINT32, (writer, number, value) => writer.tag(number, WireType.Varint).uint32(Number(value))],
  [Type.SINT32, (writer, number, value) => writer.tag(number, WireType.Varint).sint32(Number(value))],
  [Type.FIXED32, (writer, number, value) => writer.tag(number, WireType.Bit32).fixed32(Number(value))],
  [Type.SFIXED32, (writer, number, value) => writer.tag(number, WireType.Bit32).sfixed32(Number(value))],
  [Type.INT64, (writer, number, value) => writer.tag(number, WireType.Varint).int64(value)],
  [Type.UINT64, (writer, number, value) => writer.tag(number, WireType.Varint).uint64(value)],
  [Type.SINT64, (writer, number, value) => writer.tag(number, WireType.Varint).sint64(value)],
  [Type.FIXED64, (writer, number, value) => writer.tag(number, WireType.Bit64).fixed64(value)],
  [Type.SFIXED64, (writer, number, value) => writer.tag(number, WireType.Bit64).sfixed64(value)],
]);
