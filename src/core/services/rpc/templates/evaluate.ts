import { TemplateFailure } from './failure.ts';
import { fieldOf } from './fields.ts';
import type { Rendering } from './rendering.ts';
import type { Command, Expression, Pipe } from './template.ts';
import { templateOutputBytesMax } from './limits.ts';
import { tooLong } from './text-sink.ts';
import { isList, isTrue, type Value } from './values.ts';

/** What expressions are evaluated against. */
export interface Frame {
  readonly rendering: Rendering;
  /** The variables; the first is `$`. */
  readonly slots: Value[];
}

export function evaluatePipe(pipe: Pipe, dot: Value, frame: Frame): Value {
  let value: Value | undefined;
  for (const command of pipe.commands) value = evaluateCommand(command, value, dot, frame);
  const result = value ?? null;
  if (pipe.target !== undefined) frame.slots[pipe.target] = result;
  return result;
}

const noArguments: readonly Value[] = [];

/** `piped` is the value of the command before, if there is one. */
function evaluateCommand(command: Command, piped: Value | undefined, dot: Value, frame: Frame): Value {
  const { operand, operands } = command;
  frame.rendering.charge(1);
  if (operand.kind === 'call') return evaluateCall(operand, operands, piped, dot, frame);
  if (operands.length === 0 && piped === undefined) return evaluate(operand, dot, frame);
  const args = operands.map((argument) => evaluate(argument, dot, frame));
  if (piped !== undefined) args.push(piped);
  return evaluateFields(operand, args, dot, frame);
}

function evaluate(expression: Expression, dot: Value, frame: Frame): Value {
  frame.rendering.charge(1);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'dot':
      return dot;
    case 'pipe':
      return evaluatePipe(expression.pipe, dot, frame);
    case 'call':
      return evaluateCall(expression, [], undefined, dot, frame);
    default:
      return evaluateFields(expression, noArguments, dot, frame);
  }
}

/** A chain of fields; arguments belong to the last. */
function evaluateFields(expression: Expression, args: readonly Value[], dot: Value, frame: Frame): Value {
  switch (expression.kind) {
    case 'field':
      return follow(dot, expression.names, args, expression.at, frame.rendering);
    case 'variable': {
      const value = frame.slots[expression.slot] ?? null;
      return follow(value, expression.names, args, expression.at, frame.rendering);
    }
    case 'chain': {
      const value = evaluate(expression.of, dot, frame);
      return follow(value, expression.names, args, expression.at, frame.rendering);
    }
    default:
      // The parser gives arguments to nothing else.
      return evaluate(expression, dot, frame);
  }
}

function follow(
  start: Value,
  names: readonly string[],
  args: readonly Value[],
  at: number,
  rendering: Rendering,
): Value {
  let value = start;
  const last = names.length - 1;
  for (const [index, name] of names.entries()) {
    rendering.at = at;
    value = fieldOf(value, name, index === last ? args : noArguments, rendering);
  }
  return value;
}

function evaluateCall(
  call: Expression & { readonly kind: 'call' },
  operands: readonly Expression[],
  piped: Value | undefined,
  dot: Value,
  frame: Frame,
): Value {
  const { endsOn } = call.function;
  const args: Value[] = [];
  for (const operand of operands) {
    const value = evaluate(operand, dot, frame);
    if (isTrue(value) === endsOn) return value;
    args.push(value);
  }
  if (piped !== undefined) args.push(piped);
  return applyFunction(call, args, piped !== undefined, frame.rendering);
}

function applyFunction(
  call: Expression & { readonly kind: 'call' },
  args: readonly Value[],
  isPiped: boolean,
  rendering: Rendering,
): Value {
  rendering.at = call.at;
  rendering.piped = isPiped;
  try {
    const result = call.function.evaluate(args, rendering);
    rendering.charge(costOf(args, result));
    return result;
  } catch (error) {
    if (error instanceof TemplateFailure && error.at === undefined) {
      throw new TemplateFailure(`${call.name}: ${error.message}`, call.at);
    }
    throw error;
  }
}

/** So many characters or items cost a step. */
const sizePerStep = 64;

function costOf(args: readonly Value[], result: Value): number {
  let size = sizeOf(result);
  if (typeof result === 'string' && size > templateOutputBytesMax) throw tooLong();
  for (const value of args) size += sizeOf(value);
  return Math.floor(size / sizePerStep);
}

function sizeOf(value: Value): number {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length;
  return 0;
}
