import { isJsonObject, type Json } from '../../../kernel/json.ts';
import { dynamicText, type ListOrder } from './canonical-text.ts';
import { holdsForList } from './list-test.ts';
import type { Problems } from './problems.ts';
import { patternTest, type RuleKind } from './rule-kind.ts';

type JsonHolds = (json: Json | undefined) => boolean;

/** The rule for values inside a Struct, a Value or a ListValue, which have no descriptor: JSON against JSON. */
export function dynamicTest(
  kind: RuleKind,
  rule: Json,
  order: ListOrder,
  problems: Problems,
): JsonHolds | undefined {
  if (rule === null) return kind === 'contains' ? (json) => (json ?? null) === null : () => true;
  if (Array.isArray(rule)) return listTest(kind, rule as readonly Json[], order, problems);
  if (isJsonObject(rule)) return objectTest(kind, Object.entries(rule), order, problems);
  if (kind === 'contains') return leafTest(rule, order);
  const test = patternTest(kind, rule, problems);
  return test && ((json) => json !== undefined && typeof json !== 'object' && test(String(json)));
}

function leafTest(rule: Json, order: ListOrder): JsonHolds {
  if (typeof rule === 'string') return (json) => typeof json === 'string' && json.includes(rule);
  const text = dynamicText(rule, order);
  return (json) => json !== undefined && dynamicText(json, order) === text;
}

function listTest(
  kind: RuleKind,
  rules: readonly Json[],
  order: ListOrder,
  problems: Problems,
): JsonHolds | undefined {
  const tests = rules.map((rule, index) => dynamicTest(kind, rule, order, problems.at(String(index))));
  if (!tests.every((test) => test !== undefined)) return undefined;
  return (json) => Array.isArray(json) && holdsForList(kind, tests, json, order);
}

function objectTest(
  kind: RuleKind,
  rules: readonly (readonly [string, Json])[],
  order: ListOrder,
  problems: Problems,
): JsonHolds | undefined {
  const tests = rules.map(([key, rule]) => ({
    key,
    isNull: rule === null,
    test: dynamicTest(kind, rule, order, problems.at(key)),
  }));
  if (tests.some(({ test }) => test === undefined)) return undefined;
  return (json) =>
    isJsonObject(json) &&
    tests.every(
      ({ key, isNull, test }) => (isNull || Object.hasOwn(json, key)) && test?.(ownValue(json, key)) === true,
    );
}

function ownValue(json: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}
