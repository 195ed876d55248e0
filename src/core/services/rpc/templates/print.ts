import type { Json, JsonObject } from '../../../kernel/json.ts';
import { dataAsJson } from './data.ts';
import { durationText } from './duration-text.ts';
import { TemplateFailure } from './failure.ts';
import { shortestFloat } from './float-text.ts';
import { templateValueNestingMax } from './limits.ts';
import { TextSink } from './text-sink.ts';
import { printedTime, timeOfMs } from './times.ts';
import {
  Decimal,
  Duration,
  Members,
  Root,
  Time,
  fromJson,
  isList,
  sortedKeys,
  type Value,
} from './values.ts';

/** As Go's `fmt` prints it with `%v`: `map[a:1 b:[x y]]`, `1.5e+06`, `<nil>`. */
export function printed(value: Value): string {
  if (typeof value === 'string') return value;
  const sink = new TextSink();
  print(value, sink, 0);
  return sink.text;
}

/** Writes one value, with `scalar` for what is neither a list nor an object. */
export function printWith(
  value: Value,
  sink: TextSink,
  depth: number,
  scalar: (value: Value) => string,
): void {
  refuseDepth(depth);
  if (isList(value)) printList(value, sink, depth, scalar);
  else if (value instanceof Root) printWith(rootAsJson(value, printedTime), sink, depth, scalar);
  else if (isScalar(value)) sink.add(scalar(value));
  else printMap(value, sink, depth, scalar);
}

function print(value: Value, sink: TextSink, depth: number): void {
  printWith(value, sink, depth, printedScalar);
}

type Composite = readonly Json[] | JsonObject | Root;

function isScalar(value: Value): value is Exclude<Value, Composite> {
  return (
    typeof value !== 'object' ||
    value === null ||
    value instanceof Uint8Array ||
    value instanceof Time ||
    value instanceof Duration ||
    value instanceof Decimal ||
    value instanceof Members
  );
}

export function printedScalar(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return shortestFloat(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return printedObject(value);
  }
}

function printedObject(value: Value): string {
  if (value === null) return '<nil>';
  if (value instanceof Time) return printedTime(value);
  if (value instanceof Duration) return durationText(value.nanos);
  if (value instanceof Decimal) return value.text;
  if (value instanceof Members) throw new TemplateFailure(`${value.title} needs the name of a member`);
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  return printed(value);
}

function printList(
  list: readonly Json[],
  sink: TextSink,
  depth: number,
  scalar: (value: Value) => string,
): void {
  sink.add('[');
  for (const [index, item] of list.entries()) {
    if (index > 0) sink.add(' ');
    printWith(fromJson(item), sink, depth + 1, scalar);
  }
  sink.add(']');
}

function printMap(map: JsonObject, sink: TextSink, depth: number, scalar: (value: Value) => string): void {
  sink.add('map[');
  for (const [index, key] of sortedKeys(map).entries()) {
    if (index > 0) sink.add(' ');
    sink.add(scalar(key));
    sink.add(':');
    printWith(fromJson(map[key]), sink, depth + 1, scalar);
  }
  sink.add(']');
}

/** All the data as an object, with its time as `timeText` writes it. */
export function rootAsJson(root: Root, timeText: (time: Time) => string): JsonObject {
  return dataAsJson(root.data, timeText(timeOfMs(root.data.RequestTime)));
}

export function refuseDepth(depth: number): void {
  if (depth > templateValueNestingMax) {
    throw new TemplateFailure(`the value nests deeper than ${templateValueNestingMax} levels`);
  }
}
