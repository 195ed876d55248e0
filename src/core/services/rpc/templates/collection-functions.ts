import { utf8, utf8Text } from '../../../kernel/bytes.ts';
import type { Json } from '../../../kernel/json.ts';
import { isBefore, isEqual } from './compare.ts';
import { TemplateFailure } from './failure.ts';
import { headerOf } from './fields.ts';
import { anyNumber, ofOne, takes, type FunctionTable } from './function.ts';
import { asNumber, needIndex } from './numbers.ts';
import type { Rendering } from './rendering.ts';
import { needText } from './text-functions.ts';
import { utf8Length } from './text-sink.ts';
import { describe, excerpt, fromJson, isList, isMap, isTrue, sortedKeys, type Value } from './values.ts';

/** Truth, comparison, and what is in lists, objects and texts. */
export const collectionFunctions: FunctionTable = {
  and: { ...takes(1, anyNumber, lastOf), endsOn: false },
  or: { ...takes(1, anyNumber, lastOf), endsOn: true },
  not: ofOne((value) => !isTrue(value)),
  eq: takes(2, anyNumber, ([first = null, ...others]) => others.some((other) => isEqual(first, other))),
  ne: takes(2, 2, ([a = null, b = null]) => !isEqual(a, b)),
  lt: takes(2, 2, ([a = null, b = null]) => isBefore(a, b)),
  le: takes(2, 2, isAtMost),
  lte: takes(2, 2, isAtMost),
  gt: takes(2, 2, ([a = null, b = null]) => isBefore(b, a)),
  ge: takes(2, 2, isAtLeast),
  gte: takes(2, 2, isAtLeast),
  len: ofOne((value) => BigInt(lengthOf(value))),
  index: takes(1, anyNumber, index),
  slice: takes(1, 3, ([value = null, from = 0n, to]) => slice(value, needIndex(from), to)),
  extract: takes(2, 2, ([collection = null, key = null]) => extract(collection, key)),
};

function lastOf(args: readonly Value[]): Value {
  return args.at(-1) ?? null;
}

function isAtMost([a = null, b = null]: readonly Value[]): boolean {
  return isBefore(a, b) || isEqual(a, b);
}

function isAtLeast([a = null, b = null]: readonly Value[]): boolean {
  return isBefore(b, a) || isEqual(a, b);
}

/** Of a text in bytes, as in Go. */
function lengthOf(value: Value): number {
  if (typeof value === 'string') return utf8Length(value);
  if (isList(value) || value instanceof Uint8Array) return value.length;
  if (isMap(value)) return sortedKeys(value).length;
  throw new TemplateFailure(`${describe(value)} has no length`);
}

function index(args: readonly Value[], rendering: Rendering): Value {
  const [first = null, ...keys] = args;
  const last = keys.at(-1) ?? null;
  // Existing stub files pipe the list into `index 1`; in Go, what comes through the pipe is the last key.
  if (rendering.piped && !isIndexable(first) && isIndexable(last)) {
    return [first, ...keys.slice(0, -1)].reduce((value, key) => itemOf(value, key, rendering), last);
  }
  return keys.reduce((value, key) => itemOf(value, key, rendering), first);
}

function isIndexable(value: Value): boolean {
  return typeof value === 'string' || isList(value) || isMap(value) || value instanceof Uint8Array;
}

/** An absent key of an object gives nil, as in Go; a place outside a list is a problem. */
function itemOf(value: Value, key: Value, rendering: Rendering): Value {
  if (isList(value)) return fromJson(value[placeIn(value.length, key)]);
  if (isMap(value)) {
    const name = needText(key);
    if (rendering.isHeaders(value)) return headerOf(value, name);
    return Object.hasOwn(value, name) ? fromJson(value[name]) : null;
  }
  if (value instanceof Uint8Array) return byteAt(value, key);
  if (typeof value === 'string') return byteAt(utf8(value), key);
  throw new TemplateFailure(`${describe(value)} has no items`);
}

function byteAt(bytes: Uint8Array, key: Value): bigint {
  return BigInt(bytes[placeIn(bytes.length, key)] ?? 0);
}

function placeIn(length: number, key: Value): number {
  const place = needIndex(key);
  if (place >= 0 && place < length) return place;
  throw new TemplateFailure(`index ${place} is outside 0 to ${length - 1}`);
}

/** Texts are cut between bytes, as in Go. */
function slice(value: Value, from: number, to: Value | undefined): Value {
  if (typeof value === 'string') {
    const bytes = utf8(value);
    return utf8Text(bytes.subarray(from, sliceEnd(bytes.length, from, to)));
  }
  if (isList(value)) return value.slice(from, sliceEnd(value.length, from, to));
  if (value instanceof Uint8Array) return value.slice(from, sliceEnd(value.length, from, to));
  throw new TemplateFailure(`${describe(value)} cannot be sliced`);
}

function sliceEnd(length: number, from: number, to: Value | undefined): number {
  const end = to === undefined ? length : needIndex(to);
  if (from >= 0 && from <= end && end <= length) return end;
  throw new TemplateFailure(`the slice ${from} to ${end} is outside 0 to ${length}`);
}

/**
 * The values of one field of all objects in a list, without those that lack it; of an object, the value of the field;
 * with an integer, the item of a list, or nil.
 */
function extract(collection: Value, key: Value): Value {
  if (isMap(collection)) return ownValue(collection, needText(key)) ?? null;
  if (!isList(collection)) throw new TemplateFailure(`expected a list, got ${describe(collection)}`);
  const place = asNumber(key);
  if (typeof place === 'bigint') return fromJson(collection[Number(place)]);
  const name = needText(key);
  return collection.flatMap((item): readonly Json[] => {
    const value = fromJson(item);
    if (!isMap(value)) throw new TemplateFailure(`cannot extract ${excerpt(name)} from ${describe(value)}`);
    return Object.hasOwn(value, name) ? [value[name] ?? null] : [];
  });
}

function ownValue(map: Value, name: string): Value | undefined {
  return isMap(map) && Object.hasOwn(map, name) ? fromJson(map[name]) : undefined;
}
