import { RE2JS } from 're2js';

/** Longest regular expression or glob, in UTF-8 bytes. */
export const patternBytesMax = 1024;
/** Largest compiled program of a pattern, in instructions: what one character of a subject can cost. */
export const patternProgramMax = 2000;
/**
 * Longest subject of `matches` and `glob`, in UTF-16 code units. A longer one does not match: searching it would take
 * long enough for a client to slow others down, and an answer from a part of it would be a guess.
 */
export const subjectUnitsMax = 64 * 1024;

/** Whether a text matches. */
export type TextTest = (text: string) => boolean;

/** A test, or what is wrong with the pattern. */
export type CompiledPattern =
  | { readonly ok: true; readonly test: TextTest }
  | { readonly ok: false; readonly problem: string };

/**
 * A regular expression in RE2 syntax (as Go has it): searched for anywhere in the subject, in time linear in it.
 * Lookaround and back-references do not exist there and are refused.
 */
export function compilePattern(pattern: string): CompiledPattern {
  return remembered(knownPatterns, pattern, () =>
    compileWith(pattern, pattern, (engine, text) => engine.test(text)),
  );
}

/** `expression` in RE2 syntax, which must cover the whole subject; `pattern` is what its author wrote. */
export function compileWhole(pattern: string, expression: string): CompiledPattern {
  return compileWith(pattern, expression, (engine, text) => engine.testExact(text));
}

function compileWith(
  pattern: string,
  expression: string,
  run: (engine: RE2JS, text: string) => boolean,
): CompiledPattern {
  if (isLongerThan(pattern, patternBytesMax)) {
    return { ok: false, problem: `is longer than ${patternBytesMax} bytes` };
  }
  try {
    const engine = RE2JS.compile(expression);
    const size = engine.programSize();
    if (size > patternProgramMax) {
      return {
        ok: false,
        problem: `takes ${size} steps per character; at most ${patternProgramMax} are allowed`,
      };
    }
    return { ok: true, test: (text) => text.length <= subjectUnitsMax && run(engine, text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

function isLongerThan(text: string, bytesMax: number): boolean {
  return text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax;
}

// ── Many stubs share a pattern ──────────────────────────────────────────────────────────────────────────────

const patternsRememberedMax = 10_000;
const knownPatterns = new Map<string, CompiledPattern>();

/** What a pattern compiles to depends on its text alone, so a bounded memory of it changes no answer. */
export function remembered(
  known: Map<string, CompiledPattern>,
  pattern: string,
  compile: () => CompiledPattern,
): CompiledPattern {
  let compiled = known.get(pattern);
  if (compiled === undefined) {
    compiled = compile();
    if (known.size >= patternsRememberedMax) known.clear();
    known.set(pattern, compiled);
  }
  return compiled;
}
