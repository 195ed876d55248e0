import { RE2JS } from 're2js';
import { shortText } from './stub-problems.ts';

/** The longest regular expression or glob of a stub, in UTF-16 code units. */
export const patternTextMax = 1024;

/** What is wrong with a regular expression of RE2's syntax, or `undefined`. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > patternTextMax) return tooLong(pattern);
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    return `must be a regular expression (RE2 syntax), got ${shortText(pattern)}: ${reason}`;
  }
}

/** What is wrong with a glob, or `undefined`. */
export function globProblem(glob: string): string | undefined {
  return glob.length > patternTextMax ? tooLong(glob) : undefined;
}

function tooLong(pattern: string): string {
  return `must be at most ${patternTextMax} characters long, got ${pattern.length}`;
}
