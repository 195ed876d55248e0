import { FieldDescriptorProto_Type as Type } from '@bufbuild/protobuf/wkt';
import type { OptionValue } from './proto-option-parser.ts';
import { floatOf } from './proto-option-scalars.ts';

/** The text of a default value as descriptors hold it, or `undefined` when it does not fit the type. */
export function defaultText(type: Type | 0, value: OptionValue): string | undefined {
  if (type === Type.STRING) return value.kind === 'string' ? Buffer.from(value.bytes).toString() : undefined;
  if (type === Type.BYTES) return value.kind === 'string' ? escaped(value.bytes) : undefined;
  if (type === Type.FLOAT || type === Type.DOUBLE) return floatText(type, value);
  if (value.kind === 'integer')
    return isNamed(type) || type === Type.BOOL ? undefined : value.value.toString();
  if (value.kind === 'float' && Object.is(value.value, -0)) return '0';
  return value.kind === 'name' && !value.negative ? nameText(type, value.text) : undefined;
}

// A default of a named type can only be a value of an enum; whether it is one is seen later.
function isNamed(type: Type | 0): boolean {
  return type === 0 || type === Type.ENUM || type === Type.MESSAGE || type === Type.GROUP;
}

function nameText(type: Type | 0, text: string): string | undefined {
  if (isNamed(type)) return text;
  return type === Type.BOOL && (text === 'true' || text === 'false') ? text : undefined;
}

function floatText(type: Type, value: OptionValue): string | undefined {
  const number = floatOf(value);
  if (number === undefined) return undefined;
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  return shortest(type === Type.FLOAT ? Math.fround(number) : number, type);
}

// As C prints it with %g: the fewest digits, from 6 (float) or 15 (double), that give the number back.
function shortest(number: number, type: Type): string {
  const isFloat = type === Type.FLOAT;
  for (let digits = isFloat ? 6 : 15; digits <= 17; digits += 1) {
    const text = general(number, digits);
    const back = isFloat ? Math.fround(Number(text)) : Number(text);
    if (back === number) return text;
  }
  return general(number, 17);
}

function general(number: number, digits: number): string {
  if (number === 0) return Object.is(number, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = number.toExponential(digits - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < digits) return trimmed(number.toFixed(Math.max(0, digits - 1 - exponent)));
  const sign = exponent < 0 ? '-' : '+';
  return `${trimmed(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [9, '\\t'],
  [10, '\\n'],
  [13, '\\r'],
  [34, '\\"'],
  [39, "\\'"],
  [92, '\\\\'],
]);

/** Bytes as descriptors write them: printable ASCII as it is, the rest in octal. */
function escaped(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const short = shortEscapes.get(byte);
    if (short !== undefined) return short;
    return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }).join('');
}
