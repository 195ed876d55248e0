import type { Json } from './json.ts';
import { jsonPointer } from './json-pointer.ts';
import { setOwn } from './own-property.ts';

/** The JSON value of a text, or where and why it is none. Offsets are in UTF-16 code units. */
export type ParsedJson =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Where the items of a list begin, or where the one value begins that is no list. */
      readonly itemOffsets: readonly number[];
    }
  | { readonly ok: false; readonly offset: number; readonly problem: string };

/**
 * Reads JSON (RFC 8259) as `JSON.parse` does, and beyond it:
 * - a key that comes twice in one object is a problem, and so is nesting deeper than `levelsMax`;
 * - an integer that a JavaScript number cannot hold, and write, exactly is given as its decimal text, which the JSON form of Protocol
 *   Buffers takes for the same number;
 * - problems are told in words of our own, with their offset.
 */
export function parseJsonText(text: string, levelsMax: number): ParsedJson {
  const itemOffsets: number[] = [];
  try {
    return { ok: true, value: readDocument(text, { levelsMax, itemOffsets }), itemOffsets };
  } catch (error) {
    if (error instanceof JsonProblem) return { ok: false, offset: error.offset, problem: error.message };
    throw error;
  }
}

/**
 * Where the parts of the value that begins at `from` begin, by JSON pointer from that value on; of a member of an object,
 * where its key begins. `text` must be one that `parseJsonText` reads. Slower than reading: for saying where a problem is.
 */
export function jsonOffsets(text: string, from: number, levelsMax: number): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  readDocument(text, { levelsMax, itemOffsets: [], part: { from, offsets } });
  return offsets;
}

class JsonProblem extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

interface Reading {
  readonly levelsMax: number;
  readonly itemOffsets: number[];
  /** Only the value that begins at `from`. */
  readonly part?: { readonly from: number; readonly offsets: Map<string, number> };
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const closingBracket = 0x5d;
const closingBrace = 0x7d;
const numberForm = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
/** Integers of fewer characters are exact. */
const exactDigitsMax = 15;

// One closure over the text and the position in it: a reader of megabytes has no time to pass them around.
function readDocument(text: string, { levelsMax, itemOffsets, part }: Reading): Json {
  let at = part?.from ?? 0;
  const path: (string | number)[] = [];

  skipSpace();
  if (text[at] !== '[') itemOffsets.push(at);
  note(at);
  const document = readValue();
  skipSpace();
  if (part === undefined && at < text.length) throw expected('the end of the text');
  return document;

  function readValue(): Json {
    switch (text[at]) {
      case '{':
        return readObject();
      case '[':
        return readList();
      case '"':
        return readText();
      case 't':
        return readWord('true', true);
      case 'f':
        return readWord('false', false);
      case 'n':
        return readWord('null', null);
      case undefined:
      default:
        return readNumber();
    }
  }

  function readObject(): Json {
    goDown();
    const object: Record<string, Json> = {};
    skipSpace();
    while (text.charCodeAt(at) !== closingBrace) {
      const keyAt = at;
      if (text.charCodeAt(at) !== quote) throw expected('a key in double quotes');
      const key = readText();
      if (Object.hasOwn(object, key))
        throw new JsonProblem(keyAt, `the key ${JSON.stringify(key)} is there twice`);
      skipSpace();
      if (text[at] !== ':') throw expected('":" after a key');
      at += 1;
      skipSpace();
      path.push(key);
      note(keyAt);
      setOwn(object, key, readValue());
      path.pop();
      nextOr(closingBrace, '"," or "}"', 'another key: a "," before "}" is too much');
    }
    goUp();
    return object;
  }

  function readList(): Json {
    goDown();
    const list: Json[] = [];
    skipSpace();
    while (text.charCodeAt(at) !== closingBracket) {
      if (path.length === 0) itemOffsets.push(at);
      path.push(list.length);
      note(at);
      list.push(readValue());
      path.pop();
      nextOr(closingBracket, '"," or "]"', 'another item: a "," before "]" is too much');
    }
    goUp();
    return list;
  }

  function nextOr(closing: number, either: string, another: string): void {
    skipSpace();
    if (text.charCodeAt(at) === closing) return;
    if (text.charCodeAt(at) !== comma) throw expected(either);
    at += 1;
    skipSpace();
    if (text.charCodeAt(at) === closing) throw expected(another);
  }

  function goDown(): void {
    if (path.length >= levelsMax) throw new JsonProblem(at, `nests deeper than ${levelsMax} levels`);
    at += 1;
  }

  function goUp(): void {
    at += 1;
  }

  function readText(): string {
    const start = at;
    let isPlain = true;
    for (at += 1; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code === backslash) {
        isPlain = false;
        at += 1;
      } else if (!(code >= 0x20)) {
        throw at >= text.length
          ? new JsonProblem(start, 'the text that begins here has no end')
          : controlCharacter(code);
      }
    }
    at += 1;
    return isPlain ? text.slice(start + 1, at - 1) : unescape(start);
  }

  function controlCharacter(code: number): JsonProblem {
    const name = code === 0x0a || code === 0x0d ? 'a line break' : 'a control character';
    return new JsonProblem(at, `expected no ${name.slice(2)} within a text: write it with a backslash`);
  }

  function unescape(start: number): string {
    const written = text.slice(start, at);
    const wrong = /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(written.replaceAll('\\\\', '__'));
    if (wrong === null) return JSON.parse(written) as string;
    throw new JsonProblem(
      start + wrong.index,
      'expected one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX after the backslash',
    );
  }

  function readNumber(): Json {
    numberForm.lastIndex = at;
    const found = numberForm.exec(text);
    if (found === null) throw expected('a value');
    const [written, fraction, exponent] = found;
    const number = Number(written);
    if (!Number.isFinite(number)) throw expected('a number that fits 64 bits of floating point');
    at += written.length;
    if (written.length <= exactDigitsMax || fraction !== undefined || exponent !== undefined) return number;
    return isExact(number, written) ? number : written;
  }

  function readWord(word: string, value: boolean | null): Json {
    if (!text.startsWith(word, at)) throw expected('a value');
    at += word.length;
    return value;
  }

  function skipSpace(): void {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  }

  function note(offset: number): void {
    part?.offsets.set(jsonPointer(path), offset);
  }

  function expected(what: string): JsonProblem {
    return new JsonProblem(
      at,
      `expected ${what}, got ${at < text.length ? wordAt(text, at) : 'the end of the text'}`,
    );
  }
}

/**
 * True when the number is the integer that is written and will be written like that again: 2 ** 60 is a number exactly, but
 * comes out as 1152921504606847000.
 */
export function isExact(number: number, written: string): boolean {
  return Number.isSafeInteger(number) || (String(number) === written && BigInt(number) === BigInt(written));
}

function wordAt(text: string, at: number): string {
  const word =
    /^[\w.+-]{1,20}/.exec(text.slice(at, at + 20))?.[0] ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
  return JSON.stringify(word);
}
