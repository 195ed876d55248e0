import { utf8 } from '../../../kernel/bytes.ts';

/** The escapes of Go's `html`, `js` and `urlquery`. */

const htmlEscapes: ReadonlyMap<string, string> = new Map([
  ['\0', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

export function escapedHtml(text: string): string {
  return mapCharacters(text, (character) => htmlEscapes.get(character) ?? character);
}

const scriptEscapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['<', '\\u003C'],
  ['>', '\\u003E'],
  ['&', '\\u0026'],
  ['=', '\\u003D'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
]);

export function escapedJavaScript(text: string): string {
  return mapCharacters(text, (character) => scriptEscapes.get(character) ?? escapedControl(character));
}

function escapedControl(character: string): string {
  const code = character.charCodeAt(0);
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return isControl ? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}` : character;
}

export function escapedQuery(text: string): string {
  let escaped = '';
  for (const byte of utf8(text)) escaped += queryByte(byte);
  return escaped;
}

function queryByte(byte: number): string {
  if (byte === 0x20) return '+';
  const character = String.fromCharCode(byte);
  return isUnreserved(byte) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function isUnreserved(byte: number): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
  return isDigit || isLetter || byte === 0x2d || byte === 0x2e || byte === 0x5f || byte === 0x7e;
}

function mapCharacters(text: string, map: (character: string) => string): string {
  let mapped = '';
  for (const character of text) mapped += map(character);
  return mapped;
}
