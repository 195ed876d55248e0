/** What is wrong with the text of a `.proto` file. */
export class ProtoSyntaxError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

export type TokenKind = 'name' | 'integer' | 'float' | 'string' | 'symbol' | 'end';

/**
 * The tokens of a `.proto` file, one at a time (https://protobuf.com/docs/language-spec#lexical-elements). `kind`, `text`
 * and `line` are those of the current one; the text of a string is what stands between its quotes, escapes and all.
 */
export class ProtoTokens {
  readonly #source: string;
  #position = 0;
  #line = 1;
  kind: TokenKind = 'symbol';
  text = '';
  /** Counts from 1. */
  line = 1;

  constructor(source: string) {
    this.#source = source;
    // A byte order mark may stand at the beginning.
    if (source.charCodeAt(0) === 0xfeff) this.#position = 1;
    this.advance();
  }

  advance(): void {
    this.#skipBlank();
    this.line = this.#line;
    const code = this.#source.charCodeAt(this.#position);
    if (Number.isNaN(code)) this.#take('end', this.#position);
    else if (isLetter(code)) this.#takeName();
    else if (isDigit(code) || (code === dot && isDigit(this.#source.charCodeAt(this.#position + 1))))
      this.#takeNumber();
    else if (code === quote || code === apostrophe) this.#takeString(code);
    else this.#take('symbol', this.#position + 1);
  }

  /** True when the current token is this symbol or name. */
  is(text: string): boolean {
    return this.text === text && (this.kind === 'symbol' || this.kind === 'name');
  }

  /** Goes past the current token if it is this symbol or name. */
  skip(text: string): boolean {
    const found = this.is(text);
    if (found) this.advance();
    return found;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw this.unexpected(`"${text}"`);
  }

  unexpected(wanted: string): ProtoSyntaxError {
    const got = this.kind === 'end' ? 'the end of the file' : JSON.stringify(this.text.slice(0, 60));
    return new ProtoSyntaxError(this.line, `expected ${wanted}, got ${got}`);
  }

  #skipBlank(): void {
    const source = this.#source;
    for (;;) {
      const code = source.charCodeAt(this.#position);
      if (code === newline) this.#line += 1;
      else if (code === slash && source.charCodeAt(this.#position + 1) === slash) this.#skipLine();
      else if (code === slash && source.charCodeAt(this.#position + 1) === star) this.#skipComment();
      else if (!isBlank(code)) return;
      this.#position += 1;
    }
  }

  /** To the last character of the line, before the line break. */
  #skipLine(): void {
    const end = this.#source.indexOf('\n', this.#position);
    this.#position = (end === -1 ? this.#source.length : end) - 1;
  }

  /** To the last character of the comment. */
  #skipComment(): void {
    const end = this.#source.indexOf('*/', this.#position + 2);
    if (end === -1) throw new ProtoSyntaxError(this.#line, 'a comment has no end');
    for (
      let at = this.#source.indexOf('\n', this.#position);
      at !== -1 && at < end;
      at = this.#source.indexOf('\n', at + 1)
    ) {
      this.#line += 1;
    }
    this.#position = end + 1;
  }

  #takeName(): void {
    let end = this.#position + 1;
    while (isWordPart(this.#source.charCodeAt(end))) end += 1;
    this.#take('name', end);
  }

  #takeNumber(): void {
    numberPattern.lastIndex = this.#position;
    const [text = ''] = numberPattern.exec(this.#source) ?? [];
    const end = this.#position + text.length;
    if (isWordPart(this.#source.charCodeAt(end)))
      throw new ProtoSyntaxError(this.#line, `${text}… is not a number`);
    this.#take(integerPattern.test(text) ? 'integer' : 'float', end);
    if (this.kind === 'float' && /^0\d+$/.test(text))
      throw new ProtoSyntaxError(this.#line, `${text} is not an octal number`);
  }

  #takeString(delimiter: number): void {
    const start = this.#position + 1;
    let end = start;
    for (let code = this.#source.charCodeAt(end); code !== delimiter; code = this.#source.charCodeAt(end)) {
      if (Number.isNaN(code) || code === newline)
        throw new ProtoSyntaxError(this.#line, 'a string has no end on its line');
      end += code === backslash ? 2 : 1;
    }
    this.kind = 'string';
    this.text = this.#source.slice(start, end);
    this.#position = end + 1;
  }

  #take(kind: TokenKind, end: number): void {
    this.kind = kind;
    this.text = this.#source.slice(this.#position, end);
    this.#position = end;
  }
}

const newline = 10;
const quote = 34;
const apostrophe = 39;
const star = 42;
const dot = 46;
const slash = 47;
const backslash = 92;

const numberPattern = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const integerPattern = /^(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)$/;

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isWordPart(code: number): boolean {
  return isLetter(code) || isDigit(code);
}

/** The number of an integer token. */
export function integerOf(text: string): bigint {
  return /^0[0-7]+$/.test(text) ? BigInt(`0o${text.slice(1)}`) : BigInt(text);
}

const encoder = new TextEncoder();
const escapes: ReadonlyMap<string, number> = new Map(
  Object.entries({ a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, "'": 39, '"': 34, '?': 63 }),
);
const escapePattern = /\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gsu;

/** The bytes that a string token stands for: its UTF-8, with escapes resolved. */
export function stringBytes(text: string, line: number): Uint8Array {
  if (!text.includes('\\')) return encoder.encode(text);
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const match of text.matchAll(escapePattern)) {
    parts.push(encoder.encode(text.slice(end, match.index)), escapedBytes(match, line));
    end = match.index + match[0].length;
  }
  parts.push(encoder.encode(text.slice(end)));
  return new Uint8Array(Buffer.concat(parts));
}

function escapedBytes(match: RegExpExecArray, line: number): Uint8Array {
  const [whole, octal, hex, short, long, letter] = match;
  if (octal !== undefined) return Uint8Array.of(Number.parseInt(octal, 8) & 0xff);
  if (hex !== undefined) return Uint8Array.of(Number.parseInt(hex, 16));
  const point = short ?? long;
  if (point !== undefined && Number.parseInt(point, 16) <= 0x10ffff) {
    return encoder.encode(String.fromCodePoint(Number.parseInt(point, 16)));
  }
  const code = letter === undefined ? undefined : escapes.get(letter);
  if (code === undefined) throw new ProtoSyntaxError(line, `the escape ${whole} is not known`);
  return Uint8Array.of(code);
}
