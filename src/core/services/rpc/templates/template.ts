import type { TemplateFunction } from './function.ts';
import type { Value } from './values.ts';

/** A parsed template: data, immutable, good for any number of renderings. */
export interface Template {
  readonly source: string;
  readonly body: Body;
}

export type Body = readonly Node[];

/** `at` is an offset into the source, in UTF-16 code units. */
export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipe: Pipe }
  | { readonly kind: 'assign'; readonly pipe: Pipe }
  | { readonly kind: 'if'; readonly pipe: Pipe; readonly body: Body; readonly otherwise: Body }
  | { readonly kind: 'with'; readonly pipe: Pipe; readonly body: Body; readonly otherwise: Body }
  | RangeNode
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' };

export interface RangeNode {
  readonly kind: 'range';
  readonly at: number;
  readonly pipe: Pipe;
  /** Where each key (or index) and each element go; with one variable, it takes the element. */
  readonly key: number | undefined;
  readonly element: number | undefined;
  readonly body: Body;
  readonly otherwise: Body;
}

/** `a | b | c`: the value of each command is the last argument of the next. */
export interface Pipe {
  /** The variable that takes the value. */
  readonly target: number | undefined;
  readonly commands: readonly Command[];
}

/** An operand with its arguments. */
export interface Command {
  readonly at: number;
  readonly operand: Expression;
  readonly operands: readonly Expression[];
}

export type Expression =
  | { readonly kind: 'literal'; readonly at: number; readonly value: Value }
  | { readonly kind: 'dot'; readonly at: number }
  | { readonly kind: 'field'; readonly at: number; readonly names: readonly string[] }
  | {
      readonly kind: 'variable';
      readonly at: number;
      readonly slot: number;
      readonly names: readonly string[];
    }
  | { readonly kind: 'call'; readonly at: number; readonly name: string; readonly function: TemplateFunction }
  | {
      readonly kind: 'chain';
      readonly at: number;
      readonly of: Expression;
      readonly names: readonly string[];
    }
  | { readonly kind: 'pipe'; readonly at: number; readonly pipe: Pipe };
