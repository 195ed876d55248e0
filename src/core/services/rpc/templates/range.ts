import { TemplateFailure } from './failure.ts';
import { describe, fromJson, isList, isMap, sortedKeys, type Value } from './values.ts';

/**
 * What a range goes over, as pairs: a list by index, an object by key in order, an integer from 0. Nil is empty.
 */
export function* rangeItems(
  collection: Value,
  hasKey: boolean,
): Generator<readonly [key: Value, element: Value]> {
  if (collection === null) return;
  if (isList(collection)) {
    for (const [index, item] of collection.entries()) yield [BigInt(index), fromJson(item)];
  } else if (collection instanceof Uint8Array) {
    for (const [index, byte] of collection.entries()) yield [BigInt(index), BigInt(byte)];
  } else if (typeof collection === 'bigint') {
    if (hasKey) throw new TemplateFailure('a range over an integer has one variable');
    for (let count = 0n; count < collection; count += 1n) yield [count, count];
  } else if (isMap(collection)) {
    for (const key of sortedKeys(collection)) yield [key, fromJson(collection[key])];
  } else {
    throw new TemplateFailure(`range cannot go over ${describe(collection)}`);
  }
}
