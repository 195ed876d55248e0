import { TemplateFailure } from './failure.ts';
import { templateNestingMax } from './limits.ts';
import { tokenize, type Token } from './tokens.ts';

/** Where parsing stands. */
export interface Parser {
  readonly source: string;
  readonly tokens: readonly Token[];
  position: number;
  /** Names of the variables that are known here; the place of each is its slot. The first is `$`. */
  readonly scope: string[];
  /** Blocks and parentheses around this place. */
  depth: number;
  /** `range` bodies around this place. */
  ranges: number;
  /** `range` and `with` bodies around this place; without any, `.` is the data itself. */
  rebinds: number;
}

export function newParser(source: string): Parser {
  const tokens = tokenize(source);
  return { source, tokens, position: 0, scope: [''], depth: 0, ranges: 0, rebinds: 0 };
}

export function peekToken(parser: Parser): Token | undefined {
  return parser.tokens[parser.position];
}

/** The tokenizer has seen to it that every action is closed, so inside of one there is always a next. */
export function nextToken(parser: Parser): Token {
  const token = parser.tokens[parser.position];
  if (token === undefined) throw new TemplateFailure('unexpected end', parser.source.length);
  parser.position += 1;
  return token;
}

export function isPunctuation(token: Token | undefined, text: string): boolean {
  return token?.kind === 'punctuation' && token.text === text;
}

export function expectClose(parser: Parser): void {
  const token = nextToken(parser);
  if (token.kind !== 'close') throw failAt(token, `unexpected ${JSON.stringify(token.text)}`);
}

export function enter(parser: Parser, token: Token): void {
  parser.depth += 1;
  if (parser.depth > templateNestingMax)
    throw failAt(token, `nests deeper than ${templateNestingMax} levels`);
}

export function leave(parser: Parser): void {
  parser.depth -= 1;
}

export function failAt(token: Token | undefined, message: string): TemplateFailure {
  return new TemplateFailure(message, token?.at);
}
