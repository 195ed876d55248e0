import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../../../src/core/services/rpc/matching/glob.ts';
import {
  compilePattern,
  patternBytesMax,
  patternProgramMax,
  subjectUnitsMax,
} from '../../../../../src/core/services/rpc/matching/pattern.ts';
import { globMatches } from './reference-matcher.ts';

function glob(pattern: string, text: string): boolean {
  const compiled = compileGlob(pattern);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.test(text);
}

function search(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.test(text);
}

// As long as a subject may be: an engine that backtracks would not come back from these.
const long = 'a'.repeat(subjectUnitsMax - 1);

describe('a glob', () => {
  it('agrees with one that tries everything', () => {
    const piece = fc.constantFrom(
      '*',
      '**',
      '**/',
      '?',
      '/',
      'a',
      'b',
      '.',
      '[ab]',
      '[!a]',
      '[^b]',
      '{a,b}',
      '{a,*}',
      '\\*',
    );
    const globs = fc
      .array(piece, { maxLength: 5 })
      .map((pieces) => pieces.join(''))
      .filter(isPlain);
    const text = fc
      .array(fc.constantFrom('a', 'b', '/', '.', '*', '\n'), { maxLength: 6 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(globs, text, (pattern, subject) => {
        expect(glob(pattern, subject)).toBe(globMatches(pattern, subject));
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[string, string, boolean]>([
    ['*', '', true],
    ['*', '.hidden', true],
    ['*', 'a/b', false],
    ['**', 'a/b/.c', true],
    ['a/**', 'a', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'ab', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['**/b', 'b', true],
    ['a**b', 'a/x/b', true],
    ['[!a]', '/', false],
    ['[+-9]', '/', false],
    ['[]a]', ']', true],
    ['[a-c]x', 'bx', true],
    ['{a,b/*}c', 'b/xc', true],
    ['{a,{b,c}}', 'c', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a.b', 'axb', false],
    ['(a|b)+', '(a|b)+', true],
    ['!a', '!a', true],
    ['A', 'a', false],
    ['?', '😀', true],
  ])('%j on %j is %j', (pattern, text, expected) => {
    expect(glob(pattern, text)).toBe(expected);
  });

  it.each(['[a', '{a', 'a\\', 'a'.repeat(patternBytesMax + 1)])('%j is refused', (pattern) => {
    expect(compileGlob(pattern).ok).toBe(false);
  });

  it.each([
    '*a*a*a*a*a*a*a*a*a*b',
    '**a**a**a**a**a**b',
    '((((((((((((((((((((',
    '{*,*a,*aa,?*}{*,*a,*aa}{*,?*}b',
    '*(*(*(*(a)))b',
  ])('%j takes time linear in the subject', (pattern) => {
    expect(glob(pattern, long)).toBe(false);
  });
});

/** A `**` beside other stars or after part of a segment is read in more than one way. */
function isPlain(pattern: string): boolean {
  return !/\*\}\*|\*{3}|[^/]\*\*\/|\/\*\*(?!\/)|\*\*\/\*\*/.test(pattern);
}

describe('a pattern', () => {
  it('is searched for anywhere, case-sensitively, and `.` is not a line break', () => {
    expect(search('b+', 'abba')).toBe(true);
    expect(search('B', 'abba')).toBe(false);
    expect(search('a.b', 'a\nb')).toBe(false);
    expect(search('(?i)B', 'abba')).toBe(true);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(a*)*b', '([a-z]+)*=', '^(\\w+\\s?)*$b', '(.*a){20}b'])(
    '%j takes time linear in the subject',
    (pattern) => {
      expect(search(pattern, `${long}!`)).toBe(false);
    },
  );

  it.each([
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    '(a)\\1',
    '[',
    '*',
    '(',
    'a{1001}',
    `a{1000}b{1000}`,
    'a'.repeat(patternBytesMax + 1),
  ])('%j is refused', (pattern) => {
    expect(compilePattern(pattern)).toMatchObject({ ok: false });
  });

  it(`may take ${patternProgramMax} steps per character, and subjects of ${subjectUnitsMax} units`, () => {
    expect(compilePattern('a{1000}').ok).toBe(true);
    expect(search('a$', `${long}a`)).toBe(true);
    expect(search('a$', `${long}aa`)).toBe(false);
  });
});
