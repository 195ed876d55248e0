import { ScalarType, type DescEnum } from '@bufbuild/protobuf';
import { base64, fromBase64 } from '../../../kernel/bytes.ts';
import type { Json } from '../../../kernel/json.ts';

export type ScalarValue = string | number | bigint | boolean | Uint8Array;

interface ScalarRule {
  /** The value, or `undefined` when the JSON is not one. */
  readonly read: (json: Json) => ScalarValue | undefined;
  /** What `read` takes, for people. */
  readonly takes: string;
}

/**
 * The value of a scalar field that a JSON value stands for, as protobuf-es keeps it (64-bit integers as bigints), or
 * `undefined`. Lenient: numbers may be written as strings, booleans too, bytes as base64 in either alphabet.
 */
export function scalarFromJson(type: ScalarType, json: Json): ScalarValue | undefined {
  return rules[type].read(json);
}

/** What a scalar field takes, for people: `a whole number from 0 to 4294967295`. */
export function scalarTakes(type: ScalarType): string {
  return rules[type].takes;
}

const int32 = wholeNumber(-0x80000000, 0x7fffffff);
const uint32 = wholeNumber(0, 0xffffffff);
const int64 = bigWholeNumber(-0x8000000000000000n, 0x7fffffffffffffffn);
const uint64 = bigWholeNumber(0n, 0xffffffffffffffffn);

const rules: Readonly<Record<ScalarType, ScalarRule>> = {
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.DOUBLE]: { read: floatFromJson, takes: 'a number' },
  [ScalarType.FLOAT]: { read: float32FromJson, takes: 'a number of 32-bit floating point' },
  [ScalarType.BOOL]: { read: boolFromJson, takes: 'true or false' },
  // A lone surrogate has no UTF-8.
  [ScalarType.STRING]: {
    read: (json) => (typeof json === 'string' && json.isWellFormed() ? json : undefined),
    takes: 'a string',
  },
  [ScalarType.BYTES]: { read: bytesFromJson, takes: 'a string in base64' },
};

function wholeNumber(min: number, max: number): ScalarRule {
  return {
    takes: `a whole number from ${min} to ${max}`,
    read: (json) => {
      const number = numberFromJson(json);
      // Adding 0 turns -0 into 0.
      return number !== undefined && Number.isInteger(number) && number >= min && number <= max
        ? number + 0
        : undefined;
    },
  };
}

function bigWholeNumber(min: bigint, max: bigint): ScalarRule {
  return {
    takes: `a whole number from ${min} to ${max}`,
    read: (json) => {
      const number = bigintFromJson(json);
      return number !== undefined && number >= min && number <= max ? number : undefined;
    },
  };
}

const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const numberLengthMax = 400;

function numberFromJson(json: Json): number | undefined {
  if (typeof json === 'number') return json;
  if (typeof json !== 'string' || json.length > numberLengthMax || !numberPattern.test(json))
    return undefined;
  return Number(json);
}

// Digits are taken as they are, so that nothing is lost beyond 2^53.
function bigintFromJson(json: Json): bigint | undefined {
  if (typeof json === 'string' && json.length <= numberLengthMax && /^[+-]?\d+$/.test(json)) {
    return BigInt(json.startsWith('+') ? json.slice(1) : json);
  }
  const number = numberFromJson(json);
  return number !== undefined && Number.isInteger(number) ? BigInt(number) : undefined;
}

function floatFromJson(json: Json): number | undefined {
  if (json === 'NaN') return NaN;
  if (json === 'Infinity') return Infinity;
  if (json === '-Infinity') return -Infinity;
  const number = numberFromJson(json);
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}

function float32FromJson(json: Json): number | undefined {
  const number = floatFromJson(json);
  if (number === undefined) return undefined;
  const rounded = Math.fround(number);
  return Number.isFinite(number) && !Number.isFinite(rounded) ? undefined : rounded;
}

function boolFromJson(json: Json): boolean | undefined {
  if (typeof json === 'boolean') return json;
  if (json === 'true') return true;
  return json === 'false' ? false : undefined;
}

function bytesFromJson(json: Json): Uint8Array | undefined {
  if (typeof json !== 'string') return undefined;
  try {
    return fromBase64(json);
  } catch {
    return undefined;
  }
}

/** The number of an enum value given by name, number, or number in a string. An open enum takes any 32-bit integer. */
export function enumFromJson(desc: DescEnum, json: Json): number | undefined {
  if (json === null) return desc.typeName === 'google.protobuf.NullValue' ? 0 : undefined;
  const named =
    desc.values.find((value) => value.name === json) ?? desc.values.find((value) => value.jsonName === json);
  if (named !== undefined) return named.number;
  const number = int32.read(json);
  if (typeof number !== 'number') return undefined;
  return desc.open || desc.values.some((value) => value.number === number) ? number : undefined;
}

/** The canonical JSON of a scalar value (https://protobuf.dev/programming-guides/json/). */
export function scalarJson(type: ScalarType, value: ScalarValue): Json {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'object') return base64(value);
  if (typeof value !== 'number') return value;
  if (!Number.isFinite(value)) return String(value);
  return type === ScalarType.FLOAT ? shortestFloat32(value) : value;
}

// 0.1 as a 32-bit float is 0.10000000149011612: nine digits always tell two floats apart, and mostly fewer do.
function shortestFloat32(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** The name of an enum value, or its number when it has none; NullValue is `null`. */
export function enumJson(desc: DescEnum, value: number): Json {
  if (desc.typeName === 'google.protobuf.NullValue') return null;
  return desc.value[value]?.name ?? value;
}

/** The property name under which protobuf-es keeps a map entry, or `undefined` when the text is not a key of the type. */
export function mapKeyFromText(type: ScalarType, text: string): string | undefined {
  const key = scalarFromJson(type, text);
  return key === undefined ? undefined : String(key);
}
