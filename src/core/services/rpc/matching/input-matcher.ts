import type { DescMessage, Message, Registry } from '@bufbuild/protobuf';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import type { InputMatcher, InputRules } from '../stub.ts';
import { dynamicText, type ListOrder } from './canonical-text.ts';
import { structMessageJson } from './dynamic-json.ts';
import { dynamicTest } from './dynamic-test.ts';
import {
  equalsKeyOf,
  inAnyOrder,
  inOrder,
  isStructRequest,
  type EqualsKey,
  type EqualsRule,
} from './equals-key.ts';
import { expectedText } from './expected-text.ts';
import type { Holds } from './list-test.ts';
import { Problems } from './problems.ts';
import { compileFields } from './rule-test.ts';
import type { RuleKind } from './rule-kind.ts';
import { valueTypesOf, type MessageType, type ValueTypes } from './value-type.ts';

/** Levels of a rule that can be met: no message that is decoded nests deeper. */
export const ruleLevelsMax = 200;

/** Rules on one message, worked out against its descriptor. */
export interface CompiledInput {
  readonly matcher: InputMatcher;
  readonly type: MessageType;
  readonly types: ValueTypes;
  /** What the message must have, whatever else; null when no message can match. */
  readonly equals: readonly EqualsRule[] | null;
  /** Of each `anyOf` item that can be met, what it must have beside that; one empty list without `anyOf`. */
  readonly alternatives: readonly (readonly EqualsRule[])[];
  matches(message: Message): boolean;
  /** The same for a message that is known to have what `equals` above says, as one that was found by index has. */
  matchesBeside(message: Message): boolean;
}

/** Problems are what makes a rule one that is never met; the matcher compiles all the same. */
export function compileInput(
  matcher: InputMatcher,
  desc: DescMessage,
  registry: Registry,
  problems: Problems = new Problems(),
): CompiledInput {
  const types = valueTypesOf(registry);
  return compileInputWith(matcher, types.message(desc), types, problems);
}

export function compileInputWith(
  matcher: InputMatcher,
  type: MessageType,
  types: ValueTypes,
  problems: Problems = new Problems(),
): CompiledInput {
  const subject = { matcher, type, types };
  if (!isWithin(matcher, ruleLevelsMax)) return joined(subject, tooDeep(problems), undefined);
  const base = compileRules(matcher, type, false, problems);
  const items = matcher.anyOf?.map((item, index) =>
    compileRules(item, type, matcher.ignoreArrayOrder === true, problems.at('anyOf').at(String(index))),
  );
  return joined(
    subject,
    base,
    items?.filter((item) => item !== undefined),
  );
}

/** Goes no deeper than `levels`, so that a hostile depth cannot overflow the stack. */
function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const key in value) {
    if (!isWithin((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return false;
  }
  return true;
}

function tooDeep(problems: Problems): undefined {
  return problems.note(`never matches: no message nests deeper than ${ruleLevelsMax} levels`);
}

/** The rules of a matcher, or of one item of its `anyOf`. */
interface CompiledRules {
  readonly equals: readonly EqualsRule[];
  readonly others: readonly Holds[];
}

function joined(
  subject: Pick<CompiledInput, 'matcher' | 'type' | 'types'>,
  base: CompiledRules | undefined,
  items: readonly CompiledRules[] | undefined,
): CompiledInput {
  if (base === undefined || items?.length === 0) {
    return { ...subject, equals: null, alternatives: [], matches: never, matchesBeside: never };
  }
  const matchesBeside = (message: Message): boolean =>
    othersHold(base, message) && (items === undefined || items.some((item) => rulesHold(item, message)));
  return {
    ...subject,
    equals: base.equals,
    alternatives: items?.map((item) => item.equals) ?? noAlternatives,
    matches: (message) => equalsHold(base, message) && matchesBeside(message),
    matchesBeside,
  };
}

function never(): boolean {
  return false;
}

const noAlternatives: readonly (readonly EqualsRule[])[] = [[]];

function rulesHold(rules: CompiledRules, message: Message): boolean {
  return equalsHold(rules, message) && othersHold(rules, message);
}

function equalsHold({ equals }: CompiledRules, message: Message): boolean {
  for (const { key, text } of equals) if (key.textOf(message) !== text) return false;
  return true;
}

function othersHold({ others }: CompiledRules, message: Message): boolean {
  for (const holds of others) if (!holds(message)) return false;
  return true;
}

const ruleKinds: readonly RuleKind[] = ['contains', 'matches', 'glob'];

function compileRules(
  rules: InputRules,
  type: MessageType,
  inheritedOrder: boolean,
  problems: Problems,
): CompiledRules | undefined {
  const order = (rules.ignoreArrayOrder ?? inheritedOrder) ? inAnyOrder : inOrder;
  const equals = compileEquals(rules.equals ?? {}, type, order, problems.at('equals'));
  const others = ruleKinds.map((kind) => {
    const rule = rules[kind];
    if (rule === undefined || rule === null) return null;
    return compileRuleOfMessage(kind, type, rule, order, problems.at(kind));
  });
  if (equals === undefined || others.includes(undefined)) return undefined;
  return { equals, others: others.filter((holds) => holds !== null && holds !== undefined) };
}

function compileRuleOfMessage(
  kind: RuleKind,
  type: MessageType,
  rule: JsonObject,
  order: ListOrder,
  problems: Problems,
): Holds | null | undefined {
  if (Object.keys(rule).length === 0) return null;
  if (!isStructRequest(type)) return compileFields(kind, type, rule, order, problems);
  const test = dynamicTest(kind, rule, order, problems);
  return test && ((message) => test(structMessageJson(message)));
}

/** Undefined when no message has what the rules ask for. */
function compileEquals(
  rules: JsonObject,
  type: MessageType,
  order: ListOrder,
  problems: Problems,
): readonly EqualsRule[] | undefined {
  const compiled: EqualsRule[] = [];
  let canBeMet = true;
  for (const name of Object.keys(rules)) {
    const json = rules[name] ?? null;
    const rule = compileEqualsRule(name, json, type, order, problems);
    if (rule === undefined) canBeMet &&= json === null;
    else canBeMet = addRule(compiled, rule) && canBeMet;
  }
  return canBeMet ? compiled : undefined;
}

function compileEqualsRule(
  name: string,
  json: Json,
  type: MessageType,
  order: ListOrder,
  problems: Problems,
): EqualsRule | undefined {
  if (isStructRequest(type)) return { key: structKey(name, order), text: dynamicText(json, order) };
  const reader = type.names.get(name);
  if (reader === undefined) return json === null ? undefined : problems.unknownField(type.desc, name);
  const text = expectedText(reader.type, json, order, problems.at(name));
  return text === undefined ? undefined : { key: equalsKeyOf(reader, order), text };
}

/** False when the same field, in its other spelling, must have another value. */
export function addRule(rules: EqualsRule[], rule: EqualsRule): boolean {
  const other = rules.find(({ key }) => key.id === rule.key.id);
  if (other === undefined) rules.push(rule);
  return other === undefined || other.text === rule.text;
}

/** A key that a Struct does not have reads as null. */
function structKey(name: string, order: ListOrder): EqualsKey {
  return {
    id: `.${name}${order.unordered ? '~' : ''}`,
    textOf: (message) => {
      const json = structMessageJson(message) as JsonObject;
      return dynamicText(Object.hasOwn(json, name) ? (json[name] ?? null) : null, order);
    },
  };
}
