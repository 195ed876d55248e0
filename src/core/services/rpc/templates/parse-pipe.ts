import { dataFields } from './data.ts';
import { isFaker, unknownFaker } from './faker.ts';
import type { TemplateFunction } from './function.ts';
import { templateFunctions } from './functions.ts';
import { templateVariablesMax } from './limits.ts';
import { enter, failAt, isPunctuation, leave, nextToken, peekToken, type Parser } from './parser.ts';
import type { Command, Expression, Pipe } from './template.ts';
import type { Token } from './tokens.ts';

export interface ParsedPipe {
  readonly pipe: Pipe;
  /** Slots of all variables that it declares or sets; `range` takes two. */
  readonly targets: readonly number[];
}

/** A pipeline up to what closes it, with at most `targetsMax` variables in front. */
export function parsePipe(parser: Parser, targetsMax: number): ParsedPipe {
  const { variables, sign } = parseTargets(parser, targetsMax);
  const commands = parseCommands(parser);
  // What is declared is known behind the pipeline, so `$x := add $x 1` takes the older `$x`.
  const targets = variables.map((variable) =>
    sign === '=' ? slotOf(parser, variable) : declare(parser, variable),
  );
  return { pipe: { target: targets[0], commands }, targets };
}

interface Targets {
  readonly variables: readonly Token[];
  readonly sign: ':=' | '=' | undefined;
}

const noTargets: Targets = { variables: [], sign: undefined };

/** `$x :=`, `$x =` or, in a range, `$i, $x :=`. */
function parseTargets(parser: Parser, targetsMax: number): Targets {
  const [first, second, third, fourth] = parser.tokens.slice(parser.position, parser.position + 4);
  if (first?.kind !== 'variable' || second === undefined) return noTargets;
  const sign = assignment(second);
  if (sign !== undefined) {
    parser.position += 2;
    return { variables: [first], sign };
  }
  if (!isPunctuation(second, ',')) return noTargets;
  const pairSign = third?.kind === 'variable' ? assignment(fourth) : undefined;
  if (third === undefined || pairSign === undefined) throw failAt(second, 'unexpected ","');
  if (targetsMax < 2) throw failAt(third, 'only {{range}} takes two variables');
  parser.position += 4;
  return { variables: [first, third], sign: pairSign };
}

function assignment(token: Token | undefined): ':=' | '=' | undefined {
  if (isPunctuation(token, ':=')) return ':=';
  return isPunctuation(token, '=') ? '=' : undefined;
}

function declare(parser: Parser, variable: Token): number {
  if (parser.scope.length > templateVariablesMax) {
    throw failAt(variable, `more than ${templateVariablesMax} variables`);
  }
  parser.scope.push(variable.text);
  return parser.scope.length - 1;
}

function slotOf(parser: Parser, variable: Token): number {
  const slot = parser.scope.lastIndexOf(variable.text);
  if (slot < 0) throw failAt(variable, `undefined variable "$${variable.text}"`);
  return slot;
}

function parseCommands(parser: Parser): readonly Command[] {
  const commands = [parseCommand(parser, false)];
  while (isPunctuation(peekToken(parser), '|')) {
    nextToken(parser);
    commands.push(parseCommand(parser, true));
  }
  return commands;
}

function parseCommand(parser: Parser, isPiped: boolean): Command {
  const first = peekToken(parser);
  const operand = parseOperand(parser);
  const operands: Expression[] = [];
  while (!endsCommand(peekToken(parser))) operands.push(parseArgument(parser));
  const argumentCount = operands.length + (isPiped ? 1 : 0);
  if (operand.kind === 'call') checkCount(first, operand.name, operand.function, argumentCount);
  else if (argumentCount > 0 && !mayTakeArguments(operand)) {
    throw failAt(first, `${JSON.stringify(first?.text)} is not a function but has arguments`);
  } else if (isNil(operand)) throw failAt(first, 'nil is not a command');
  return { at: operand.at, operand, operands };
}

function endsCommand(token: Token | undefined): boolean {
  return (
    token === undefined ||
    token.kind === 'close' ||
    (token.kind === 'punctuation' && (token.text === '|' || token.text === ')'))
  );
}

function checkCount(token: Token | undefined, name: string, called: TemplateFunction, count: number): void {
  const { argumentsMin, argumentsMax } = called;
  if (count >= argumentsMin && count <= argumentsMax) return;
  const wanted = argumentsMin === argumentsMax ? `${argumentsMin}` : `at least ${argumentsMin}`;
  const expected = count > argumentsMax ? `at most ${argumentsMax}` : wanted;
  throw failAt(token, `${name} takes ${expected} arguments, got ${count}`);
}

/** Fields may turn out to be methods. */
function mayTakeArguments(operand: Expression): boolean {
  if (operand.kind === 'variable') return operand.names.length > 0;
  return operand.kind === 'field' || operand.kind === 'chain';
}

function isNil(operand: Expression): boolean {
  return operand.kind === 'literal' && operand.value === null;
}

/** A function in the place of an argument is called without any. */
function parseArgument(parser: Parser): Expression {
  const token = peekToken(parser);
  const operand = parseOperand(parser);
  if (operand.kind === 'call') checkCount(token, operand.name, operand.function, 0);
  return operand;
}

/** A term with the fields that are joined to it. */
function parseOperand(parser: Parser): Expression {
  const token = nextToken(parser);
  switch (token.kind) {
    case 'literal':
      return { kind: 'literal', at: token.at, value: token.value };
    case 'dot':
      return { kind: 'dot', at: token.at };
    case 'field':
      return parseField(parser, token);
    case 'variable':
      return parseVariable(parser, token);
    case 'name':
      return parseName(parser, token);
    case 'punctuation':
      if (token.text === '(') return parseParentheses(parser, token);
      throw failAt(token, `unexpected ${JSON.stringify(token.text)}`);
    case 'close':
      throw failAt(token, 'a value is missing');
    default:
      throw failAt(token, `unexpected ${JSON.stringify(token.text)}`);
  }
}

function parseField(parser: Parser, token: Token): Expression {
  if (parser.rebinds === 0) checkDataField(token, token.text);
  return { kind: 'field', at: token.at, names: [token.text, ...joinedNames(parser)] };
}

function parseVariable(parser: Parser, token: Token): Expression {
  const slot = slotOf(parser, token);
  const names = joinedNames(parser);
  const [first] = names;
  if (slot === 0 && first !== undefined) checkDataField(token, first);
  return { kind: 'variable', at: token.at, slot, names };
}

function checkDataField(token: Token, name: string): void {
  if (!dataFields.has(name)) {
    throw failAt(
      token,
      `unknown field ${JSON.stringify(name)}: there are ${[...dataFields.keys()].join(', ')}`,
    );
  }
}

function joinedNames(parser: Parser): readonly string[] {
  const names: string[] = [];
  for (let token = peekToken(parser); token?.kind === 'field' && token.isJoined; token = peekToken(parser)) {
    names.push(token.text);
    nextToken(parser);
  }
  return names;
}

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

function parseName(parser: Parser, token: Token): Expression {
  const constant = constants.get(token.text);
  if (constant !== undefined) return { kind: 'literal', at: token.at, value: constant };
  const called = templateFunctions.get(token.text);
  if (called === undefined) throw failAt(token, `function ${JSON.stringify(token.text)} not defined`);
  const call: Expression = { kind: 'call', at: token.at, name: token.text, function: called };
  const names = joinedNames(parser);
  if (names.length === 0) return call;
  checkCount(token, token.text, called, 0);
  if (token.text === 'faker' && !isFaker(names)) throw failAt(token, unknownFaker(names).message);
  return { kind: 'chain', at: token.at, of: call, names };
}

function parseParentheses(parser: Parser, token: Token): Expression {
  enter(parser, token);
  const pipe: Pipe = { target: undefined, commands: parseCommands(parser) };
  const close = nextToken(parser);
  if (!isPunctuation(close, ')')) throw failAt(token, 'the parenthesis is not closed');
  leave(parser);
  const names = joinedNames(parser);
  const inner: Expression = { kind: 'pipe', at: token.at, pipe };
  return names.length === 0 ? inner : { kind: 'chain', at: token.at, of: inner, names };
}
