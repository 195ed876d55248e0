import type { Rendering } from './rendering.ts';
import type { Value } from './values.ts';

/** A function that templates can call by name. */
export interface TemplateFunction {
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  readonly evaluate: (args: readonly Value[], rendering: Rendering) => Value;
  /** `and` and `or` end at the first argument whose truth is this; the later ones are not evaluated. */
  readonly endsOn?: boolean;
}

export type FunctionTable = Readonly<Record<string, TemplateFunction>>;

export const anyNumber = Number.MAX_SAFE_INTEGER;

export function takes(
  argumentsMin: number,
  argumentsMax: number,
  evaluate: TemplateFunction['evaluate'],
): TemplateFunction {
  return { argumentsMin, argumentsMax, evaluate };
}

/** A function of one argument. */
export function ofOne(evaluate: (value: Value) => Value): TemplateFunction {
  return takes(1, 1, ([value = null]) => evaluate(value));
}

/**
 * The arguments with what the function is about in front: it is written first (`split .Name "_"`), or comes through a
 * pipe (`.Name | split "_"`), and then it arrives last.
 */
export function subjectFirst(args: readonly Value[], rendering: Rendering): readonly Value[] {
  const last = args.at(-1);
  return rendering.piped && last !== undefined ? [last, ...args.slice(0, -1)] : args;
}
