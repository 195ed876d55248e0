import { compileWhole, remembered, type CompiledPattern } from './pattern.ts';

/**
 * A path-style glob over the whole subject, case-sensitive:
 *
 *     *        any text within a segment, also none         ?       one character but `/`
 *     **       any text, across `/`; `a/**` is also `a`, and `a/**` + `/b` is also `a/b`
 *     [a-z] [^a] [!a]   one character but `/`, of the set or not of it
 *     {a,b}    one of the alternatives, which may be patterns   \x      x itself
 *
 * Names that begin with a dot are names like others. It is translated to RE2, so it runs in linear time; the RegExp
 * that glob libraries make can be made to backtrack for hours (`*a*a*a*a*a*a*a*a*b`).
 */
export function compileGlob(pattern: string): CompiledPattern {
  return remembered(knownGlobs, pattern, () => {
    const translated = translateGlob(pattern);
    return translated.ok ? compileWhole(pattern, translated.expression) : translated;
  });
}

const knownGlobs = new Map<string, CompiledPattern>();

type Translation =
  | { readonly ok: true; readonly expression: string }
  | { readonly ok: false; readonly problem: string };

/** Where the translation of a glob stands. */
interface Scan {
  readonly characters: readonly string[];
  at: number;
  /** Braces that are open. */
  depth: number;
}

function translateGlob(pattern: string): Translation {
  const scan: Scan = { characters: Array.from(pattern), at: 0, depth: 0 };
  let expression = '';
  while (scan.at < scan.characters.length) {
    const piece = nextPiece(scan);
    if (piece === undefined) return { ok: false, problem: `has an unfinished ${scan.characters[scan.at]}` };
    expression += piece;
  }
  if (scan.depth > 0) return { ok: false, problem: 'has an unfinished {' };
  return { ok: true, expression };
}

/** The expression for what stands at the scan, which moves past it; undefined when that has no end. */
function nextPiece(scan: Scan): string | undefined {
  const character = scan.characters[scan.at] ?? '';
  switch (character) {
    case '*':
      return scan.characters[scan.at + 1] === '*' ? anyDepth(scan) : advance(scan, 1, '[^/]*');
    case '?':
      return advance(scan, 1, '[^/]');
    case '[':
      return characterClass(scan);
    case '{':
      scan.depth += 1;
      return advance(scan, 1, '(?:');
    case '}':
      if (scan.depth === 0) return advance(scan, 1, quoted('}'));
      scan.depth -= 1;
      return advance(scan, 1, ')');
    case ',':
      return advance(scan, 1, scan.depth > 0 ? '|' : ',');
    case '/':
      return beforeAnyDepth(scan);
    case '\\': {
      const escaped = scan.characters[scan.at + 1];
      return escaped === undefined ? undefined : advance(scan, 2, quoted(escaped));
    }
    default:
      return advance(scan, 1, quoted(character));
  }
}

function advance(scan: Scan, count: number, expression: string): string {
  scan.at += count;
  return expression;
}

/** A `**` that does not follow a slash, with the slash after it when it is a segment of its own. */
function anyDepth(scan: Scan): string {
  const before = scan.characters[scan.at - 1];
  const isSegmentStart = before === undefined || (scan.depth > 0 && (before === '{' || before === ','));
  skipStars(scan);
  if (!isSegmentStart || scan.characters[scan.at] !== '/') return anyText;
  return advance(scan, 1, `(?:${anyText}/)?`);
}

/** A slash; with a `**` segment after it, the slash and the segment may be absent together. */
function beforeAnyDepth(scan: Scan): string {
  scan.at += 1;
  const [first, second] = scan.characters.slice(scan.at, scan.at + 2);
  if (first !== '*' || second !== '*') return '/';
  skipStars(scan);
  const after = scan.characters[scan.at];
  const isSegmentEnd = after === undefined || (scan.depth > 0 && (after === '}' || after === ','));
  if (isSegmentEnd) return `(?:/${anyText})?`;
  return after === '/' ? `(?:/${anyText})?` : `/${anyText}`;
}

const anyText = '(?s:.*)';

function skipStars(scan: Scan): void {
  while (scan.characters[scan.at] === '*') scan.at += 1;
}

// ── Character classes ───────────────────────────────────────────────────────────────────────────────────────

type CodeRange = readonly [first: number, last: number];

const slash = 0x2f;
const lastCodePoint = 0x10ffff;

function characterClass(scan: Scan): string | undefined {
  let at = scan.at + 1;
  const isNegated = scan.characters[at] === '!' || scan.characters[at] === '^';
  if (isNegated) at += 1;
  const ranges: CodeRange[] = [];
  // A `]` that comes first is one of the characters.
  for (let first = true; first || scan.characters[at] !== ']'; first = false) {
    const from = classCharacter(scan, at);
    if (from === undefined) return undefined;
    const isRange = scan.characters[from.next] === '-' && scan.characters[from.next + 1] !== ']';
    const to = isRange ? classCharacter(scan, from.next + 1) : from;
    if (to === undefined) return undefined;
    ranges.push([from.code, to.code]);
    at = to.next;
  }
  scan.at = at + 1;
  return classExpression(ranges, isNegated);
}

function classCharacter(
  scan: Scan,
  at: number,
): { readonly code: number; readonly next: number } | undefined {
  const start = scan.characters[at] === '\\' ? at + 1 : at;
  const code = scan.characters[start]?.codePointAt(0);
  return code === undefined ? undefined : { code, next: start + 1 };
}

/** Without the slash, whether it is named, within a range, or only not excluded. */
function classExpression(ranges: readonly CodeRange[], isNegated: boolean): string {
  const parts = ranges
    .filter(([first, last]) => first <= last)
    .flatMap(([first, last]) => withoutSlash(first, last))
    .map(([first, last]) => `${codePoint(first)}-${codePoint(last)}`);
  if (isNegated) return `[^/${parts.join('')}]`;
  return parts.length === 0 ? `[^${codePoint(0)}-${codePoint(lastCodePoint)}]` : `[${parts.join('')}]`;
}

function withoutSlash(first: number, last: number): readonly CodeRange[] {
  if (first > slash || last < slash) return [[first, last]];
  const around: readonly CodeRange[] = [
    [first, slash - 1],
    [slash + 1, last],
  ];
  return around.filter(([from, to]) => from <= to);
}

function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function quoted(character: string): string {
  return /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : character;
}
