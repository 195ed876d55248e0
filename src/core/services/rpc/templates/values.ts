import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { TemplateData } from './data.ts';

/**
 * What an expression can be worth. A `bigint` is an integer and a `number` is a 64-bit float, as in Go; lists and
 * objects hold JSON, and `fromJson` gives what stands in them.
 */
export type Value =
  | null
  | boolean
  | string
  | bigint
  | number
  | readonly Json[]
  | JsonObject
  | Uint8Array
  | Time
  | Duration
  | Decimal
  | Members
  | Root;

/** A moment, in nanoseconds since 1970-01-01T00:00:00Z; always UTC. */
export class Time {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A number that keeps its digits: `12.340` stays `12.340`. */
export class Decimal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A thing with named members that may take arguments, such as `faker`. */
export class Members {
  readonly title: string;
  readonly member: (name: string, args: readonly Value[]) => Value;
  constructor(title: string, member: (name: string, args: readonly Value[]) => Value) {
    this.title = title;
    this.member = member;
  }
}

/** The data of the rendering: `$`, and `.` at the start. */
export class Root {
  readonly data: TemplateData;
  constructor(data: TemplateData) {
    this.data = data;
  }
}

/** A whole number of JSON is an integer here, whatever the type of its field: JSON does not tell `1` from `1.0`. */
export function fromJson(value: Json | undefined): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return value ?? null;
}

export function isList(value: Value): value is readonly Json[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is JsonObject {
  return (
    isJsonObject(value) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Time) &&
    !(value instanceof Duration) &&
    !(value instanceof Decimal) &&
    !(value instanceof Members) &&
    !(value instanceof Root)
  );
}

/** Go's rule: false, 0, nil and what is empty is not true. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length > 0;
  if (typeof value !== 'object') return typeof value === 'number' ? value !== 0 : Boolean(value);
  if (value === null) return false;
  if (value instanceof Duration) return value.nanos !== 0n;
  if (value instanceof Decimal) return Number(value.text) !== 0;
  return !isMap(value) || sortedKeys(value).length > 0;
}

/** For messages: what kind of value this is, with an article. */
export function describe(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return `the text ${excerpt(value)}`;
  if (typeof value === 'bigint' || typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `${value}`;
  if (isList(value)) return 'a list';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Time) return 'a time';
  if (value instanceof Duration) return 'a duration';
  if (value instanceof Decimal) return `the decimal ${excerpt(value.text)}`;
  if (value instanceof Members) return value.title;
  return 'an object';
}

/** A text in quotes, cut to what a person can read in a message. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text);
}

const excerptMax = 60;

/** The order of UTF-8 bytes, which is that of code points, and Go's. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

// Surrogates stand for code points above all that one unit can hold.
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

// Data does not change, and a loop may ask for the keys of one large object many times.
const keysByMap = new WeakMap<JsonObject, readonly string[]>();

export function sortedKeys(map: JsonObject): readonly string[] {
  let keys = keysByMap.get(map);
  if (keys === undefined) {
    keys = Object.keys(map).sort(compareText);
    keysByMap.set(map, keys);
  }
  return keys;
}
