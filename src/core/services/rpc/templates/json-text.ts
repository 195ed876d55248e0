import { base64 } from '../../../kernel/bytes.ts';
import { TemplateFailure } from './failure.ts';
import { refuseDepth, rootAsJson } from './print.ts';
import { TextSink } from './text-sink.ts';
import { jsonTime } from './times.ts';
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

/** JSON as Go's `json.Marshal` writes it: keys sorted, no white space, and `<`, `>` and `&` escaped. */
export function jsonText(value: Value): string {
  const sink = new TextSink();
  write(value, sink, 0);
  return sink.text;
}

function write(value: Value, sink: TextSink, depth: number): void {
  refuseDepth(depth);
  if (value === null || typeof value !== 'object') sink.add(scalarText(value));
  else if (value instanceof Time) sink.add(`"${jsonTime(value)}"`);
  else if (value instanceof Duration) sink.add(String(value.nanos));
  else if (value instanceof Decimal) sink.add(value.text);
  else if (value instanceof Uint8Array) sink.add(`"${base64(value)}"`);
  else if (value instanceof Members) throw new TemplateFailure(`${value.title} needs the name of a member`);
  else if (value instanceof Root) write(rootAsJson(value, jsonTime), sink, depth);
  else if (isList(value)) {
    writeAll(sink, '[', ']', value, (item) => write(fromJson(item), sink, depth + 1));
  } else {
    writeAll(sink, '{', '}', sortedKeys(value), (key) => {
      sink.add(`${quoted(key)}:`);
      write(fromJson(value[key]), sink, depth + 1);
    });
  }
}

function writeAll<Item>(
  sink: TextSink,
  open: string,
  close: string,
  items: readonly Item[],
  writeItem: (item: Item) => void,
): void {
  sink.add(open);
  for (const [index, item] of items.entries()) {
    if (index > 0) sink.add(',');
    writeItem(item);
  }
  sink.add(close);
}

function scalarText(value: null | boolean | string | bigint | number): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TemplateFailure(`JSON has no number ${value}`);
  }
  return String(value);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => escapes.get(character) ?? character,
  );
}
