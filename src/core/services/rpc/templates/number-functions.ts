import { TemplateFailure } from './failure.ts';
import { anyNumber, ofOne, takes, type FunctionTable } from './function.ts';
import {
  add,
  ceil,
  divide,
  floor,
  isDecimalText,
  isLess,
  multiply,
  needNumber,
  numbersOf,
  remainder,
  round,
  subtract,
  truncate,
  type Numeric,
} from './numbers.ts';
import { printedScalar } from './print.ts';
import { asTime, checkedTime, laterBy, needDuration, needTime } from './times.ts';
import { Decimal, Duration, Time, type Value } from './values.ts';

/** Numbers: conversion and arithmetic. Integers stay exact; what has a float in it is a float. */
export const numberFunctions: FunctionTable = {
  int: ofOne((value) => truncate(needNumber(value))),
  int64: ofOne((value) => truncate(needNumber(value))),
  float: ofOne((value) => Number(needNumber(value))),
  decimal: ofOne(decimal),
  add: takes(1, anyNumber, (args) => args.reduce(addValues)),
  sub: takes(1, anyNumber, (args) => args.reduce(subtractValues)),
  mul: takes(1, anyNumber, (args) => numbersOf(args).reduce(multiply, 1n)),
  div: takes(1, anyNumber, (args) => some(numbersOf(args), 'div').reduce(divide)),
  mod: takes(2, 2, ([a = null, b = null]) => remainder(needNumber(a), needNumber(b))),
  sum: takes(0, anyNumber, (args) => numbersOf(args).reduce(add, 0n)),
  avg: takes(1, anyNumber, (args) => {
    const numbers = some(numbersOf(args), 'avg');
    return divide(numbers.reduce(add, 0n), BigInt(numbers.length));
  }),
  min: takes(1, anyNumber, (args) => some(numbersOf(args), 'min').reduce((a, b) => (isLess(b, a) ? b : a))),
  max: takes(1, anyNumber, (args) => some(numbersOf(args), 'max').reduce((a, b) => (isLess(a, b) ? b : a))),
  round: ofOne((value) => round(needNumber(value))),
  floor: ofOne((value) => floor(needNumber(value))),
  ceil: ofOne((value) => ceil(needNumber(value))),
};

function some(numbers: readonly Numeric[], name: string): readonly Numeric[] {
  if (numbers.length === 0) throw new TemplateFailure(`${name} of no numbers`);
  return numbers;
}

function addValues(a: Value, b: Value): Value {
  if (a instanceof Time) return laterBy(a, needDuration(b));
  if (b instanceof Time) return laterBy(b, needDuration(a));
  if (a instanceof Duration || b instanceof Duration) {
    return new Duration(needDuration(a).nanos + needDuration(b).nanos);
  }
  return add(needNumber(a), needNumber(b));
}

function subtractValues(a: Value, b: Value): Value {
  if (b instanceof Time) return new Duration(needTime(a).nanos - b.nanos);
  if (a instanceof Time) {
    const earlier = asTime(b);
    if (earlier !== undefined) return new Duration(a.nanos - earlier.nanos);
    return checkedTime(a.nanos - needDuration(b).nanos);
  }
  if (a instanceof Duration || b instanceof Duration) {
    return new Duration(needDuration(a).nanos - needDuration(b).nanos);
  }
  return subtract(needNumber(a), needNumber(b));
}

/** The digits as they came, with a fraction always: `5` gives `5.0`. */
function decimal(value: Value): Decimal {
  const text = value instanceof Decimal ? value.text : decimalText(value);
  return new Decimal(/[.eE]/.test(text) ? text : `${text}.0`);
}

function decimalText(value: Value): string {
  if (typeof value === 'string' && isDecimalText(value)) return value;
  const number = needNumber(value);
  if (typeof number === 'number' && !Number.isFinite(number)) {
    throw new TemplateFailure(`the number ${number} has no digits`);
  }
  return printedScalar(number);
}
