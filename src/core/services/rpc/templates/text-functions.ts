import { TemplateFailure } from './failure.ts';
import { anyNumber, ofOne, subjectFirst, takes, type FunctionTable } from './function.ts';
import { jsonText } from './json-text.ts';
import { lowerCase, titleCase, upperCase } from './letter-case.ts';
import { templateOutputBytesMax } from './limits.ts';
import { printed } from './print.ts';
import { sprintf } from './printf.ts';
import { tooLong } from './text-sink.ts';
import { escapedHtml, escapedJavaScript, escapedQuery } from './text-escapes.ts';
import { describe, fromJson, isList, isTrue, type Value } from './values.ts';

/** Texts: case, cutting and joining, formatting, escaping. */
export const textFunctions: FunctionTable = {
  upper: ofOne((text) => upperCase(needText(text))),
  lower: ofOne((text) => lowerCase(needText(text))),
  title: ofOne((text) => titleCase(needText(text))),
  trim: takes(1, 2, (args, rendering) => {
    const [text = null, cutset] = subjectFirst(args, rendering);
    return cutset === undefined ? needText(text).trim() : trimAny(needText(text), needText(cutset));
  }),
  replace: takes(3, 3, (args, rendering) => {
    const [text = null, old = null, replacement = null] = subjectFirst(args, rendering);
    return replaceAll(needText(text), needText(old), needText(replacement));
  }),
  split: takes(2, 2, (args, rendering) => {
    const [text = null, separator = null] = subjectFirst(args, rendering);
    return pieces(needText(text), needText(separator));
  }),
  join: takes(2, 2, ([first = null, second = null]) =>
    isList(first) ? join(first, second) : join(second, first),
  ),
  default: takes(2, 2, ([fallback = null, value = null]) => (isTrue(value) ? value : fallback)),
  str: ofOne(printed),
  json: ofOne(jsonText),
  print: takes(0, anyNumber, print),
  println: takes(0, anyNumber, (args) => joined(args.map(printed), ' ') + '\n'),
  printf: takes(1, anyNumber, format),
  sprintf: takes(1, anyNumber, format),
  html: takes(1, anyNumber, (args) => escapedHtml(print(args))),
  js: takes(1, anyNumber, (args) => escapedJavaScript(print(args))),
  urlquery: takes(1, anyNumber, (args) => escapedQuery(print(args))),
};

export function needText(value: Value): string {
  if (typeof value === 'string') return value;
  throw new TemplateFailure(`expected a text, got ${describe(value)}`);
}

function format([format = null, ...args]: readonly Value[]): string {
  return sprintf(needText(format), args);
}

/** As Go's `Sprint`: a space between two values when neither is a text. */
function print(args: readonly Value[]): string {
  let text = '';
  for (const [index, value] of args.entries()) {
    const before = index === 0 ? '' : args[index - 1];
    if (index > 0 && typeof before !== 'string' && typeof value !== 'string') text += ' ';
    text += printed(value);
    if (text.length > templateOutputBytesMax) throw tooLong();
  }
  return text;
}

function join(list: Value, separator: Value): string {
  if (!isList(list)) throw new TemplateFailure(`expected a list, got ${describe(list)}`);
  return joined(
    list.map((item) => printed(fromJson(item))),
    needText(separator),
  );
}

function pieces(text: string, separator: string): readonly string[] {
  return separator === '' ? Array.from(text) : text.split(separator);
}

function replaceAll(text: string, old: string, replacement: string): string {
  // Nothing stands before, between and after all characters.
  return joined(old === '' ? ['', ...Array.from(text), ''] : text.split(old), replacement);
}

function joined(parts: readonly string[], separator: string): string {
  const length = parts.reduce((sum, part) => sum + part.length, separator.length * (parts.length - 1));
  if (length > templateOutputBytesMax) throw tooLong();
  return parts.join(separator);
}

function trimAny(text: string, cutset: string): string {
  const characters = Array.from(text);
  const cut = new Set(cutset);
  let start = 0;
  let end = characters.length;
  while (start < end && cut.has(characters[start] ?? '')) start += 1;
  while (end > start && cut.has(characters[end - 1] ?? '')) end -= 1;
  return characters.slice(start, end).join('');
}
