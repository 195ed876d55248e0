import { TemplateFailure } from './failure.ts';
import { parsePipe } from './parse-pipe.ts';
import { enter, expectClose, failAt, leave, newParser, nextToken, peekToken, type Parser } from './parser.ts';
import type { Body, Node, Template } from './template.ts';
import type { Token } from './tokens.ts';

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly problem: string; readonly offset: number };

/** Whether `text` is a template; any other text renders to itself. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** Reads a template; `offset` says where it stopped making sense, in UTF-16 code units. Cache what it gives. */
export function parseTemplate(text: string): ParsedTemplate {
  try {
    return { ok: true, template: parse(text) };
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    const offset = error.at ?? 0;
    return { ok: false, problem: `${error.message} (at offset ${offset})`, offset };
  }
}

function parse(source: string): Template {
  const parser = newParser(source);
  const { body, ending } = parseBody(parser);
  if (ending !== undefined) throw new TemplateFailure(`unexpected {{${ending.text}}}`, ending.at);
  return { source, body };
}

interface ParsedBody {
  readonly body: Body;
  /** The word `end` or `else`, behind which the parser stands; absent at the end of the source. */
  readonly ending: Token | undefined;
}

/** Everything up to the action that ends it. What it declares is known in it only. */
function parseBody(parser: Parser): ParsedBody {
  const known = parser.scope.length;
  const body: Node[] = [];
  let ending: Token | undefined;
  while (ending === undefined && peekToken(parser) !== undefined) {
    const token = nextToken(parser);
    if (token.kind === 'text') body.push({ kind: 'text', text: token.text });
    else if (isWord(parser, 'end') || isWord(parser, 'else')) ending = nextToken(parser);
    else body.push(parseAction(parser));
  }
  // At the end of the source, whatever is declared has been.
  if (ending !== undefined) parser.scope.length = known;
  return { body, ending };
}

function isWord(parser: Parser, word: string): boolean {
  const token = peekToken(parser);
  return token?.kind === 'name' && token.text === word;
}

function parseAction(parser: Parser): Node {
  const token = peekToken(parser);
  switch (token?.kind === 'name' ? token.text : undefined) {
    case 'if':
      return parseBlock(parser, 'if');
    case 'with':
      return parseBlock(parser, 'with');
    case 'range':
      return parseRange(parser);
    case 'break':
      return parseJump(parser, 'break');
    case 'continue':
      return parseJump(parser, 'continue');
    case 'define':
    case 'template':
    case 'block':
      throw failAt(token, `{{${token?.text}}} is not supported: a text is one template`);
    default:
      return parsePrint(parser);
  }
}

function parsePrint(parser: Parser): Node {
  const { pipe } = parsePipe(parser, 1);
  expectClose(parser);
  return { kind: pipe.target === undefined ? 'print' : 'assign', pipe };
}

function parseJump(parser: Parser, kind: 'break' | 'continue'): Node {
  const token = nextToken(parser);
  if (parser.ranges === 0) throw failAt(token, `{{${kind}}} outside {{range}}`);
  expectClose(parser);
  return { kind };
}

function parseBlock(parser: Parser, kind: 'if' | 'with'): Node {
  const word = nextToken(parser);
  enter(parser, word);
  const known = parser.scope.length;
  const { pipe } = parsePipe(parser, 1);
  expectClose(parser);
  const then = kind === 'with' ? parseRebound(parser) : parseBody(parser);
  const otherwise = parseElse(parser, then.ending, word, kind);
  parser.scope.length = known;
  leave(parser);
  return { kind, pipe, body: then.body, otherwise };
}

function parseRange(parser: Parser): Node {
  const word = nextToken(parser);
  enter(parser, word);
  const known = parser.scope.length;
  const { pipe, targets } = parsePipe(parser, 2);
  expectClose(parser);
  parser.ranges += 1;
  const { body, ending } = parseRebound(parser);
  parser.ranges -= 1;
  const otherwise = parseElse(parser, ending, word, undefined);
  parser.scope.length = known;
  leave(parser);
  const [first, second] = targets;
  const [key, element] = second === undefined ? [undefined, first] : [first, second];
  return {
    kind: 'range',
    at: word.at,
    pipe: { ...pipe, target: undefined },
    key,
    element,
    body,
    otherwise,
  };
}

/** A body in which `.` is something else than outside. */
function parseRebound(parser: Parser): ParsedBody {
  parser.rebinds += 1;
  const parsed = parseBody(parser);
  parser.rebinds -= 1;
  return parsed;
}

/** What stands behind `else`; `chained` is the word that may follow it on the same level. */
function parseElse(
  parser: Parser,
  ending: Token | undefined,
  opening: Token,
  chained: 'if' | 'with' | undefined,
): Body {
  if (ending === undefined) throw failAt(opening, `{{${opening.text}}} has no {{end}}`);
  if (ending.text === 'end') {
    expectClose(parser);
    return [];
  }
  if (chained !== undefined && isWord(parser, chained)) return [parseBlock(parser, chained)];
  expectClose(parser);
  const last = parseBody(parser);
  if (last.ending === undefined) throw failAt(opening, `{{${opening.text}}} has no {{end}}`);
  if (last.ending.text === 'else') throw failAt(last.ending, 'a second {{else}}');
  expectClose(parser);
  return last.body;
}
