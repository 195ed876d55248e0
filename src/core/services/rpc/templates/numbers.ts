import { TemplateFailure } from './failure.ts';
import { Decimal, describe, isList, fromJson, type Value } from './values.ts';

/** An integer, exact, or a 64-bit float. */
export type Numeric = bigint | number;

/** What 64-bit integer fields can hold, signed or not; arithmetic that leaves it is a problem, not a wrap-around. */
const integerMin = -(2n ** 63n);
const integerMax = 2n ** 64n - 1n;

/** A number, or a text that holds one: the JSON form of messages has 64-bit integers as texts. */
export function asNumber(value: Value): Numeric | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  if (typeof value === 'string') return parseNumber(value);
  return value instanceof Decimal ? parseNumber(value.text) : undefined;
}

export function needNumber(value: Value): Numeric {
  const number = asNumber(value);
  if (number === undefined) throw new TemplateFailure(`expected a number, got ${describe(value)}`);
  return number;
}

const integerPattern = /^[+-]?\d{1,20}$/;
const floatPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function parseNumber(text: string): Numeric | undefined {
  if (integerPattern.test(text)) {
    const integer = BigInt(text.startsWith('+') ? text.slice(1) : text);
    return integer >= integerMin && integer <= integerMax ? integer : Number(text);
  }
  if (floatPattern.test(text)) return Number(text);
  // The JSON form of floats that no JSON number can say.
  return text === 'NaN' || text === 'Infinity' || text === '-Infinity' ? Number(text) : undefined;
}

export function isDecimalText(text: string): boolean {
  return floatPattern.test(text);
}

/** The numbers of a call: its arguments, or the items of its only argument when that is a list. */
export function numbersOf(args: readonly Value[]): Numeric[] {
  const [only] = args;
  if (args.length === 1 && only !== undefined && isList(only)) {
    return only.map((item) => needNumber(fromJson(item)));
  }
  return args.map(needNumber);
}

export function add(a: Numeric, b: Numeric): Numeric {
  return typeof a === 'bigint' && typeof b === 'bigint' ? inRange(a + b) : Number(a) + Number(b);
}

export function subtract(a: Numeric, b: Numeric): Numeric {
  return typeof a === 'bigint' && typeof b === 'bigint' ? inRange(a - b) : Number(a) - Number(b);
}

export function multiply(a: Numeric, b: Numeric): Numeric {
  return typeof a === 'bigint' && typeof b === 'bigint' ? inRange(a * b) : Number(a) * Number(b);
}

/** Integers that divide without a rest give an integer, exactly; everything else gives a float. */
export function divide(a: Numeric, b: Numeric): Numeric {
  refuseZero(b);
  if (typeof a === 'bigint' && typeof b === 'bigint' && a % b === 0n) return inRange(a / b);
  return Number(a) / Number(b);
}

/** Has the sign of the dividend, as in Go. */
export function remainder(a: Numeric, b: Numeric): Numeric {
  refuseZero(b);
  return typeof a === 'bigint' && typeof b === 'bigint' ? a % b : Number(a) % Number(b);
}

/** Compares exactly, integers with floats too; a NaN is neither less nor greater nor equal. */
export function isLess(a: Numeric, b: Numeric): boolean {
  return a < b;
}

/** Half away from zero, as Go's `math.Round`. */
export function round(value: Numeric): Numeric {
  return typeof value === 'bigint' ? value : asInteger(Math.sign(value) * Math.round(Math.abs(value)));
}

export function floor(value: Numeric): Numeric {
  return typeof value === 'bigint' ? value : asInteger(Math.floor(value));
}

export function ceil(value: Numeric): Numeric {
  return typeof value === 'bigint' ? value : asInteger(Math.ceil(value));
}

/** Towards zero. */
export function truncate(value: Numeric): bigint {
  if (typeof value === 'bigint') return value;
  if (!Number.isFinite(value)) throw new TemplateFailure(`the number ${value} has no integer`);
  return inRange(BigInt(Math.trunc(value)));
}

/** A place in a list, a width, a count: an integer that a `number` holds exactly. */
export function needIndex(value: Value): number {
  const number = asNumber(value);
  if (typeof number !== 'bigint') throw new TemplateFailure(`expected an integer, got ${describe(value)}`);
  return Number(number);
}

function asInteger(whole: number): Numeric {
  return Math.abs(whole) < 2 ** 63 ? BigInt(whole) : whole;
}

function inRange(integer: bigint): bigint {
  if (integer >= integerMin && integer <= integerMax) return integer;
  throw new TemplateFailure('the integer does not fit in 64 bits');
}

function refuseZero(divisor: Numeric): void {
  if (Number(divisor) === 0) throw new TemplateFailure('division by zero');
}
