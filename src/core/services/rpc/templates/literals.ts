import { utf8Text } from '../../../kernel/bytes.ts';
import { TemplateFailure } from './failure.ts';
import type { Value } from './values.ts';

/** Go's literals: what one is worth, and where the source goes on. */
export interface Literal {
  readonly value: Value;
  readonly end: number;
}

/** `"…"`, with Go's escapes. */
export function textLiteral(source: string, at: number): Literal {
  let text = '';
  let position = at + 1;
  for (;;) {
    const character = source.charAt(position);
    if (character === '"') return { value: text, end: position + 1 };
    if (character === '' || character === '\n')
      throw new TemplateFailure('the text is not closed with "', at);
    if (character === '\\') {
      const escape = readEscape(source, position, '"');
      text += escape.text;
      position = escape.end;
    } else {
      text += character;
      position += 1;
    }
  }
}

/** Text between backquotes, as it stands. */
export function rawTextLiteral(source: string, at: number): Literal {
  const end = source.indexOf('`', at + 1);
  if (end < 0) throw new TemplateFailure('the text is not closed with `', at);
  return { value: source.slice(at + 1, end).replaceAll('\r', ''), end: end + 1 };
}

/** `'a'`: the number of the character. */
export function characterLiteral(source: string, at: number): Literal {
  const first = source.codePointAt(at + 1);
  if (first === undefined || first === 0x27 || first === 0x0a) throw badCharacter(at);
  const read =
    first === 0x5c
      ? readEscape(source, at + 1, "'")
      : { text: String.fromCodePoint(first), end: at + 1 + String.fromCodePoint(first).length };
  if (source.charAt(read.end) !== "'") throw badCharacter(at);
  return { value: BigInt(read.text.codePointAt(0) ?? 0), end: read.end + 1 };
}

function badCharacter(at: number): TemplateFailure {
  return new TemplateFailure("expected one character between ' and '", at);
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);

const digitCounts: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

interface ReadEscape {
  readonly text: string;
  readonly end: number;
}

function readEscape(source: string, at: number, quote: string): ReadEscape {
  const letter = source.charAt(at + 1);
  const simple = letter === quote ? quote : simpleEscapes.get(letter);
  if (simple !== undefined) return { text: simple, end: at + 2 };
  if (letter === 'x' || isOctal(letter)) return readBytes(source, at);
  const count = digitCounts.get(letter);
  if (count === undefined) throw badEscape(source, at);
  return { text: codePointText(source, at, hexNumber(source, at + 2, count)), end: at + 2 + count };
}

/** `\x41` and `\101` are bytes; those that follow one another are the UTF-8 of a text. */
function readBytes(source: string, at: number): ReadEscape {
  const bytes: number[] = [];
  let position = at;
  while (source.charAt(position) === '\\') {
    const letter = source.charAt(position + 1);
    if (letter === 'x') bytes.push(hexNumber(source, position + 2, 2));
    else if (isOctal(letter)) bytes.push(octalNumber(source, position));
    else break;
    position += 4;
  }
  return { text: utf8Text(Uint8Array.from(bytes)), end: position };
}

function isOctal(character: string): boolean {
  return character >= '0' && character <= '7' && character.length === 1;
}

function hexNumber(source: string, start: number, count: number): number {
  const digits = source.slice(start, start + count);
  if (digits.length < count || !/^[0-9a-fA-F]+$/.test(digits)) throw badEscape(source, start - 2);
  return Number.parseInt(digits, 16);
}

function octalNumber(source: string, at: number): number {
  const digits = source.slice(at + 1, at + 4);
  if (!/^[0-3][0-7]{2}$/.test(digits)) throw badEscape(source, at);
  return Number.parseInt(digits, 8);
}

function codePointText(source: string, at: number, code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw badEscape(source, at);
  return String.fromCodePoint(code);
}

function badEscape(source: string, at: number): TemplateFailure {
  return new TemplateFailure(`${JSON.stringify(source.slice(at, at + 2))} begins no escape`, at);
}

const numberRun = /[+-]?(?:[eE][+-]|[0-9A-Za-z_.])*/y;
const bases: readonly (readonly [pattern: RegExp, prefix: string])[] = [
  [/^(?:0|[1-9](?:_?\d)*)$/, ''],
  [/^0[xX](?:_?[0-9a-fA-F])+$/, '0x'],
  [/^0[bB](?:_?[01])+$/, '0b'],
  [/^0[oO]?(?:_?[0-7])+$/, '0o'],
];
const floatPattern = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const literalLengthMax = 400;

/** An integer of 64 bits, or a float when it is written with a point or an exponent. */
export function numberLiteral(source: string, at: number): Literal {
  numberRun.lastIndex = at;
  const text = numberRun.exec(source)?.[0] ?? '';
  const end = at + text.length;
  const digits = text.startsWith('+') || text.startsWith('-') ? text.slice(1) : text;
  const size = text.length > literalLengthMax ? undefined : (integerOf(digits) ?? floatOf(digits));
  if (size === undefined) {
    throw new TemplateFailure(`${JSON.stringify(text.slice(0, 40))} is not a number`, at);
  }
  return { value: text.startsWith('-') ? -size : size, end };
}

function integerOf(digits: string): bigint | undefined {
  const base = bases.find(([pattern]) => pattern.test(digits));
  if (base === undefined) return undefined;
  const plain = digits.replaceAll('_', '');
  const integer = BigInt(base[1] === '' ? plain : base[1] + plain.replace(/^0[xXbBoO]?/, ''));
  return integer < 2n ** 64n ? integer : undefined;
}

function floatOf(digits: string): number | undefined {
  const value = floatPattern.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
