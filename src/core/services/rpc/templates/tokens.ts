import { TemplateFailure } from './failure.ts';
import { characterLiteral, numberLiteral, rawTextLiteral, textLiteral, type Literal } from './literals.ts';
import type { Value } from './values.ts';

/** `at` is an offset into the source, in UTF-16 code units. */
export type Token =
  | { readonly kind: 'text'; readonly at: number; readonly text: string }
  | { readonly kind: 'open' | 'close' | 'dot' | 'punctuation'; readonly at: number; readonly text: string }
  | WordToken
  | { readonly kind: 'literal'; readonly at: number; readonly text: string; readonly value: Value };

export interface WordToken {
  /** `name`, `.name` and `$name`; `text` is without the sign. */
  readonly kind: 'name' | 'field' | 'variable';
  readonly at: number;
  readonly text: string;
  /** Stands right behind another token: `.b` in `.a.b`. */
  readonly isJoined: boolean;
}

/** The whole template, cut into texts and the tokens of actions, each of which begins with `open` and ends with `close`. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  let trimsStart = false;
  while (position < source.length) {
    const open = source.indexOf('{{', position);
    const end = open < 0 ? source.length : open;
    addText(
      tokens,
      source.slice(position, end),
      position,
      trimsStart,
      open >= 0 && trimsBefore(source, open),
    );
    if (open < 0) break;
    ({ position, trimsStart } = readAction(source, open, tokens));
  }
  return tokens;
}

function addText(tokens: Token[], text: string, at: number, trimsStart: boolean, trimsEnd: boolean): void {
  let start = 0;
  let end = text.length;
  if (trimsStart) while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  if (trimsEnd) while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  if (end > start) tokens.push({ kind: 'text', at: at + start, text: text.slice(start, end) });
}

/** `{{- ` takes the white space before it away. */
function trimsBefore(source: string, open: number): boolean {
  return source.charAt(open + 2) === '-' && isSpace(source.charCodeAt(open + 3));
}

interface AfterAction {
  readonly position: number;
  /** The action ended with ` -}}`, which takes the white space after it away. */
  readonly trimsStart: boolean;
}

function readAction(source: string, open: number, tokens: Token[]): AfterAction {
  const start = trimsBefore(source, open) ? open + 3 : open + 2;
  const comment = trimsBefore(source, open) ? skipSpace(source, start) : start;
  if (source.startsWith('/*', comment)) return skipComment(source, comment);
  let before: Token = { kind: 'open', at: open, text: '{{' };
  tokens.push(before);
  let position = start;
  for (;;) {
    const next = skipSpace(source, position);
    const close = closeAt(source, next, next > position);
    if (close !== undefined) {
      tokens.push({ kind: 'close', at: next, text: '}}' });
      return close;
    }
    if (next >= source.length) throw new TemplateFailure('the action is not closed with }}', open);
    const { token, end } = readToken(source, next, next === position);
    if (next === position) refuseTouching(before, token);
    tokens.push(token);
    before = token;
    position = end;
  }
}

function skipComment(source: string, start: number): AfterAction {
  const end = source.indexOf('*/', start + 2);
  if (end < 0) throw new TemplateFailure('the comment is not closed with */}}', start);
  const next = skipSpace(source, end + 2);
  const close = closeAt(source, next, next > end + 2);
  if (close === undefined || (next > end + 2 && !close.trimsStart)) {
    throw new TemplateFailure('the comment must end with */}}', end);
  }
  return close;
}

/** `}}`, or `-}}` after white space. */
function closeAt(source: string, at: number, isSpaced: boolean): AfterAction | undefined {
  if (source.startsWith('}}', at)) return { position: at + 2, trimsStart: false };
  if (isSpaced && source.startsWith('-}}', at)) return { position: at + 3, trimsStart: true };
  return undefined;
}

// Operands need white space between them; a field may follow what it belongs to.
function refuseTouching(before: Token, token: Token): void {
  if (!endsOperand(before) || !beginsOperand(token)) return;
  if (token.kind === 'field' && before.kind !== 'literal' && before.kind !== 'dot') return;
  throw new TemplateFailure(
    `unexpected ${JSON.stringify(token.text)}: a space is missing before it`,
    token.at,
  );
}

function endsOperand(token: Token): boolean {
  return token.kind === 'punctuation' ? token.text === ')' : token.kind !== 'open';
}

function beginsOperand(token: Token): boolean {
  return token.kind !== 'punctuation' || token.text === '(';
}

function skipSpace(source: string, from: number): number {
  let position = from;
  while (isSpace(source.charCodeAt(position))) position += 1;
  return position;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

interface ReadToken {
  readonly token: Token;
  readonly end: number;
}

function readToken(source: string, at: number, isJoined: boolean): ReadToken {
  const character = source.charAt(at);
  switch (character) {
    case '"':
      return literalToken(source, at, textLiteral(source, at));
    case '`':
      return literalToken(source, at, rawTextLiteral(source, at));
    case "'":
      return literalToken(source, at, characterLiteral(source, at));
    case '$':
      return wordToken('variable', source, at, isJoined);
    case '.':
      return readDot(source, at, isJoined);
    case ':':
      if (source.startsWith(':=', at)) return punctuation(':=', at);
      break;
    case '|':
    case '(':
    case ')':
    case ',':
    case '=':
      return punctuation(character, at);
    default:
  }
  if (isNumberStart(source, at)) return literalToken(source, at, numberLiteral(source, at));
  if (isWordPart(source, at)) return wordToken('name', source, at, isJoined);
  throw new TemplateFailure(`unexpected ${JSON.stringify(wholeCharacter(source, at))}`, at);
}

function readDot(source: string, at: number, isJoined: boolean): ReadToken {
  if (isDigit(source.charCodeAt(at + 1))) return literalToken(source, at, numberLiteral(source, at));
  if (isWordPart(source, at + 1)) return wordToken('field', source, at, isJoined);
  return { token: { kind: 'dot', at, text: '.' }, end: at + 1 };
}

function punctuation(text: string, at: number): ReadToken {
  return { token: { kind: 'punctuation', at, text }, end: at + text.length };
}

function literalToken(source: string, at: number, literal: Literal): ReadToken {
  const { value, end } = literal;
  return { token: { kind: 'literal', at, text: source.slice(at, end), value }, end };
}

function wordToken(kind: WordToken['kind'], source: string, at: number, isJoined: boolean): ReadToken {
  const start = kind === 'name' ? at : at + 1;
  let end = start;
  while (isWordPart(source, end)) end += wholeCharacter(source, end).length;
  return { token: { kind, at, text: source.slice(start, end), isJoined }, end };
}

function isNumberStart(source: string, at: number): boolean {
  const unit = source.charCodeAt(at);
  return isDigit(unit) || unit === 0x2b || unit === 0x2d;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

const letterOrDigit = /[\p{L}\p{Nd}_]/u;

function isWordPart(source: string, at: number): boolean {
  return at < source.length && letterOrDigit.test(wholeCharacter(source, at));
}

function wholeCharacter(source: string, at: number): string {
  return String.fromCodePoint(source.codePointAt(at) ?? 0);
}
