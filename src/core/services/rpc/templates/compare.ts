import { equalBytes } from '../../../kernel/bytes.ts';
import { TemplateFailure } from './failure.ts';
import { asNumber, isLess, type Numeric } from './numbers.ts';
import { asTime } from './times.ts';
import { Decimal, Duration, Time, compareText, describe, type Value } from './values.ts';

/**
 * Go's `eq`, with two things more: integers equal floats of the same value, and a number equals a text that holds it,
 * because the JSON form of messages has 64-bit integers as texts. What has no common kind is a problem, save nil, which
 * equals only itself.
 */
export function isEqual(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a === 'string' && typeof b === 'string') return a === b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b;
  const numbers = commonNumbers(a, b);
  if (numbers !== undefined) return numbers[0] <= numbers[1] && numbers[0] >= numbers[1];
  if (a instanceof Uint8Array && b instanceof Uint8Array) return equalBytes(a, b);
  const order = commonOrder(a, b);
  if (order === undefined) throw incomparable(a, b);
  return order === 0;
}

/** Go's `lt`, and two texts that both hold numbers are compared as these. */
export function isBefore(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return isTextBefore(a, b);
  const numbers = commonNumbers(a, b);
  if (numbers !== undefined) return isLess(numbers[0], numbers[1]);
  const order = commonOrder(a, b);
  if (order === undefined) throw incomparable(a, b);
  return order < 0;
}

function isTextBefore(a: string, b: string): boolean {
  const left = asNumber(a);
  const right = left === undefined ? undefined : asNumber(b);
  if (left === undefined || right === undefined) return compareText(a, b) < 0;
  return isLess(left, right);
}

function commonNumbers(a: Value, b: Value): readonly [Numeric, Numeric] | undefined {
  if (!isNumeric(a) && !isNumeric(b)) return undefined;
  const left = asNumber(a);
  const right = asNumber(b);
  return left === undefined || right === undefined ? undefined : [left, right];
}

function isNumeric(value: Value): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Decimal;
}

function commonOrder(a: Value, b: Value): number | undefined {
  if (a instanceof Duration && b instanceof Duration) return orderOf(a.nanos, b.nanos);
  if (!(a instanceof Time) && !(b instanceof Time)) return undefined;
  const left = asTime(a);
  const right = asTime(b);
  return left === undefined || right === undefined ? undefined : orderOf(left.nanos, right.nanos);
}

function orderOf(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function incomparable(a: Value, b: Value): TemplateFailure {
  return new TemplateFailure(`cannot compare ${describe(a)} with ${describe(b)}`);
}
