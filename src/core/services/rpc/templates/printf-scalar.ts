import { hex, utf8, utf8Text } from '../../../kernel/bytes.ts';
import type { Directive } from './directive.ts';
import { TemplateFailure } from './failure.ts';
import { exponential, fixed, general, shortestFloat } from './float-text.ts';
import { asNumber, type Numeric } from './numbers.ts';
import { printedScalar } from './print.ts';

import { Decimal, Duration, isList, Time, type Value } from './values.ts';

/** One value that is neither a list nor an object, by one directive of a format. */
export function formatScalar(directive: Directive, value: Value): string {
  const text = scalarText(directive, value);
  return text ?? `%!${directive.verb}(${mismatch(value)})`;
}

function mismatch(value: Value): string {
  return value === null ? '<nil>' : `${typeName(value)}=${printedScalar(value)}`;
}

function scalarText(directive: Directive, value: Value): string | undefined {
  switch (directive.verb) {
    case 'v':
      return formatAny(directive, value);
    case 't':
      return typeof value === 'boolean' ? pad(directive, String(value)) : undefined;
    case 's':
    case 'q':
      return formatText(directive, value);
    case 'x':
    case 'X':
      return formatHex(directive, value);
    case 'd':
    case 'b':
    case 'o':
    case 'O':
    case 'c':
    case 'U':
      return formatInteger(directive, value);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return formatFloat(directive, value);
    default:
      return undefined;
  }
}

function formatAny(directive: Directive, value: Value): string | undefined {
  if (directive.sharp) throw new TemplateFailure('%#v, the syntax of Go, is not supported');
  // `%+v` is about field names of structs, which there are none of.
  const plain = { ...directive, plus: false };
  if (typeof value === 'bigint') return formatInteger({ ...plain, verb: 'd' }, value);
  if (typeof value === 'number') return formatFloat({ ...plain, verb: 'g' }, value);
  if (typeof value === 'string') return formatText({ ...plain, verb: 's' }, value);
  return pad(directive, printedScalar(value));
}

function formatText(directive: Directive, value: Value): string | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const { precision } = directive;
  const cut = precision === undefined ? text : Array.from(text).slice(0, precision).join('');
  return pad(directive, directive.verb === 'q' ? quoted(cut) : cut);
}

function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Time || value instanceof Duration || value instanceof Decimal) {
    return printedScalar(value);
  }
  if (value instanceof Uint8Array) return utf8Text(value);
  return undefined;
}

function formatHex(directive: Directive, value: Value): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const digits = hex(typeof value === 'string' ? utf8(value) : value);
    return pad(directive, (directive.sharp ? '0x' : '') + inCase(directive, digits));
  }
  return typeof value === 'bigint' ? formatInteger(directive, value) : undefined;
}

function formatInteger(directive: Directive, value: Value): string | undefined {
  const integer = integerOf(value);
  if (integer === undefined) return undefined;
  if (directive.verb === 'c') return pad(directive, characterOf(integer));
  if (directive.verb === 'U')
    return pad(directive, `U+${integer.toString(16).toUpperCase().padStart(4, '0')}`);
  const size = integer < 0n ? -integer : integer;
  const digits = inCase(directive, size.toString(radixOf(directive.verb))).padStart(
    directive.precision ?? 0,
    '0',
  );
  const sign = signText(directive, integer < 0n) + prefixOf(directive);
  return padNumber(directive, sign, directive.precision === 0 && size === 0n ? '' : digits);
}

/** Whole floats count: JSON does not tell them from integers. So do texts that hold integers, for 64-bit fields. */
function integerOf(value: Value): bigint | undefined {
  if (value instanceof Duration) return value.nanos;
  const number = asNumber(value);
  if (typeof number === 'number') return Number.isInteger(number) ? BigInt(number) : undefined;
  return number;
}

function characterOf(integer: bigint): string {
  return integer >= 0n && integer <= 0x10ffffn ? String.fromCodePoint(Number(integer)) : '\ufffd';
}

function radixOf(verb: string): number {
  switch (verb) {
    case 'x':
    case 'X':
      return 16;
    case 'o':
    case 'O':
      return 8;
    case 'b':
      return 2;
    default:
      return 10;
  }
}

function prefixOf(directive: Directive): string {
  if (directive.verb === 'O') return '0o';
  if (!directive.sharp) return '';
  switch (directive.verb) {
    case 'x':
      return '0x';
    case 'X':
      return '0X';
    case 'o':
      return '0';
    case 'b':
      return '0b';
    default:
      return '';
  }
}

function formatFloat(directive: Directive, value: Value): string | undefined {
  const number = asNumber(value);
  if (number === undefined) return undefined;
  const text = floatText(directive, number);
  const isNegative = text.startsWith('-');
  const digits = isNegative || text.startsWith('+') ? text.slice(1) : text;
  if (!Number.isFinite(Number(number))) return padInfinite(directive, text, digits);
  return padNumber(directive, signText(directive, isNegative), digits);
}

function floatText(directive: Directive, number: Numeric): string {
  const value = Number(number);
  switch (directive.verb) {
    case 'e':
    case 'E':
      return inCase(directive, exponential(value, directive.precision ?? 6));
    case 'f':
    case 'F':
      return fixed(value, directive.precision ?? 6);
    default:
      return directive.precision === undefined
        ? inCase(directive, shortestFloat(value))
        : inCase(directive, general(value, directive.precision));
  }
}

// Zeros before an infinity would look like a number.
function padInfinite(directive: Directive, text: string, digits: string): string {
  const sign = text.startsWith('-') ? '-' : signText(directive, false);
  return pad({ ...directive, zero: false }, (text === 'NaN' ? sign : sign || '+') + digits);
}

function signText(directive: Directive, isNegative: boolean): string {
  if (isNegative) return '-';
  if (directive.plus) return '+';
  return directive.space ? ' ' : '';
}

function inCase(directive: Directive, text: string): string {
  return directive.verb === 'X' || directive.verb === 'E' || directive.verb === 'G'
    ? text.toUpperCase()
    : text;
}

/** Zeros go between the sign and the digits; with a precision, an integer is filled with spaces. */
function padNumber(directive: Directive, sign: string, digits: string): string {
  const isInteger = 'dboOxX'.includes(directive.verb);
  if (!directive.zero || (isInteger && directive.precision !== undefined)) {
    return pad({ ...directive, zero: false }, sign + digits);
  }
  return sign + digits.padStart((directive.width ?? 0) - sign.length, '0');
}

/** Widths count characters. */
export function pad(directive: Directive, text: string): string {
  const missing = (directive.width ?? 0) - Array.from(text).length;
  if (missing <= 0) return text;
  if (directive.minus) return text + ' '.repeat(missing);
  return (directive.zero ? '0' : ' ').repeat(missing) + text;
}

const quoteEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** As Go writes a string literal. */
function quoted(text: string): string {
  let body = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isControl = code < 0x20 || code === 0x7f;
    body +=
      quoteEscapes.get(character) ?? (isControl ? `\\x${code.toString(16).padStart(2, '0')}` : character);
  }
  return `"${body}"`;
}

/** What Go calls the type. */
export function typeName(value: Value): string {
  if (value === null) return '<nil>';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (isList(value)) return '[]interface {}';
  if (value instanceof Uint8Array) return '[]uint8';
  if (value instanceof Time) return 'time.Time';
  if (value instanceof Duration) return 'time.Duration';
  return value instanceof Decimal ? 'json.Number' : 'map[string]interface {}';
}
