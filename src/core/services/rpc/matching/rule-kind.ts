import type { Json } from '../../../kernel/json.ts';
import { compileGlob } from './glob.ts';
import { compilePattern, type CompiledPattern, type TextTest } from './pattern.ts';
import type { Problems } from './problems.ts';

/** The rules beside `equals`: what a leaf of the rule says, and how a list of it is compared. */
export type RuleKind = 'contains' | 'matches' | 'glob';

export type PatternKind = 'matches' | 'glob';

export function compileTextPattern(kind: PatternKind, pattern: string): CompiledPattern {
  return kind === 'matches' ? compilePattern(pattern) : compileGlob(pattern);
}

/** The test of a leaf of `matches` or `glob`; a number or a boolean is its text. */
export function patternTest(kind: PatternKind, json: Json, problems: Problems): TextTest | undefined {
  if (typeof json === 'object') return problems.unfit(json, 'a pattern');
  const compiled = compileTextPattern(kind, String(json));
  return compiled.ok ? compiled.test : problems.note(`never matches: the pattern ${compiled.problem}`);
}
