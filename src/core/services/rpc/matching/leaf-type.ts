import { ScalarType, type DescEnum } from '@bufbuild/protobuf';
import { base64 } from '../../../kernel/bytes.ts';
import type { Json } from '../../../kernel/json.ts';
import {
  enumFromJson,
  enumJson,
  scalarFromJson,
  scalarJson,
  scalarTakes,
  type ScalarValue,
} from '../protobuf/json-scalars.ts';

/**
 * A scalar or an enum, with its texts: the canonical one is equal exactly when two values are equal; the shown one is
 * what patterns are matched against.
 *
 * A value is what protobuf-es decodes it to; `undefined` is a field that is not set, and reads as its default.
 */
export interface LeafType {
  readonly kind: 'leaf';
  /** `text` of `contains` looks for a part of a string; everything else is compared. */
  readonly isString: boolean;
  /** The canonical text of the default. */
  readonly zero: string;
  /** What JSON it may be written as, for people: `a whole number from 0 to 4294967295`. */
  readonly takes: string;
  text(value: unknown): string;
  shown(value: unknown): string;
  /** For people. */
  json(value: unknown): Json;
  /** The canonical text of a value written in JSON; undefined when no value of this type is written so. */
  read(json: Json): string | undefined;
}

/** `defaultValue` is that of a field with a default of its own (proto2, editions). */
export function scalarType(scalar: ScalarType, defaultValue?: unknown): LeafType {
  const plain = plainTypes[scalar];
  return defaultValue === undefined || plain.text(defaultValue) === plain.zero
    ? plain
    : withDefault(plain, defaultValue);
}

export function enumType(desc: DescEnum, defaultNumber: number | undefined): LeafType {
  const zero = String(defaultNumber ?? desc.values[0]?.number ?? 0);
  const text = (value: unknown): string => (value === undefined ? zero : `${value as number}`);
  return {
    kind: 'leaf',
    isString: false,
    zero,
    takes: `a value of ${desc.typeName} by name or number`,
    text,
    shown: (value) => scalarText(enumJson(desc, Number(text(value)))),
    json: (value) => enumJson(desc, Number(text(value))),
    read: (json) => {
      const number = enumFromJson(desc, json);
      return number === undefined ? undefined : String(number);
    },
  };
}

function withDefault(plain: LeafType, defaultValue: unknown): LeafType {
  return {
    ...plain,
    zero: plain.text(defaultValue),
    text: (value) => plain.text(value ?? defaultValue),
    shown: (value) => plain.shown(value ?? defaultValue),
    json: (value) => plain.json(value ?? defaultValue),
  };
}

function plainType(scalar: ScalarType, text: (value: unknown) => string): LeafType {
  const zero = text(undefined);
  const isString = scalar === ScalarType.STRING;
  return {
    kind: 'leaf',
    isString,
    zero,
    takes: scalarTakes(scalar),
    text,
    // A decoded value is of the type that its descriptor says.
    shown: (value) => (value === undefined ? zero : scalarText(scalarJson(scalar, value as ScalarValue))),
    json: (value) => scalarJson(scalar, (value ?? scalarFromJson(scalar, zero)) as ScalarValue),
    read: (json) => {
      const value = scalarFromJson(scalar, json);
      return value === undefined ? undefined : text(value);
    },
  };
}

function scalarText(json: Json): string {
  return typeof json === 'string' ? json : JSON.stringify(json);
}

/** 64-bit integers are bigints, or strings where the field asks for it. Floats are decoded to their width; `-0` is 0, and NaN is itself, so that a stub can ask for it. */
function numberText(value: unknown): string {
  return value === undefined ? '0' : `${value as number}`;
}

function stringText(value: unknown): string {
  return value === undefined ? '' : (value as string);
}

function bytesText(value: unknown): string {
  return value === undefined ? '' : base64(value as Uint8Array);
}

function booleanText(value: unknown): string {
  return value === true ? 'true' : 'false';
}

const numbers = [
  ScalarType.DOUBLE,
  ScalarType.FLOAT,
  ScalarType.INT32,
  ScalarType.SINT32,
  ScalarType.SFIXED32,
  ScalarType.UINT32,
  ScalarType.FIXED32,
  ScalarType.INT64,
  ScalarType.SINT64,
  ScalarType.SFIXED64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
] as const;

// Every scalar type is in it: `numbers` are all but the three that are named.
const plainTypes = Object.fromEntries([
  ...numbers.map((scalar) => [scalar, plainType(scalar, numberText)] as const),
  [ScalarType.BOOL, plainType(ScalarType.BOOL, booleanText)],
  [ScalarType.STRING, plainType(ScalarType.STRING, stringText)],
  [ScalarType.BYTES, plainType(ScalarType.BYTES, bytesText)],
]) as unknown as Readonly<Record<ScalarType, LeafType>>;
