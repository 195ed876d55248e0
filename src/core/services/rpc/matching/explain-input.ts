import type { Message } from '@bufbuild/protobuf';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { InputRules } from '../stub.ts';
import { canonicalText, defaultText, type ListOrder } from './canonical-text.ts';
import { structMessageJson } from './dynamic-json.ts';
import { dynamicTest } from './dynamic-test.ts';
import { inAnyOrder, inOrder, isStructRequest } from './equals-key.ts';
import { expectedText } from './expected-text.ts';
import { hintFor, isReordered } from './hint.ts';
import type { CompiledInput } from './input-matcher.ts';
import { Problems } from './problems.ts';
import type { RuleKind } from './rule-kind.ts';
import { compileRule } from './rule-test.ts';
import type { FieldReader, MessageType, ValueType, ValueTypes } from './value-type.ts';

/** How one field fared under one rule. */
export interface FieldResult {
  readonly rule: 'equals' | RuleKind;
  /** The item of `anyOf` that the rule is of; absent for the rules that always count. */
  readonly anyOf?: number;
  /** In the message, in its own names: `home.city`, `labels[0]`, `limits["eu"]`. */
  readonly path: string;
  readonly expected: Json;
  readonly actual: Json;
  readonly ok: boolean;
  /** What a person may have overlooked, when it failed. */
  readonly hint?: string;
}

/**
 * Every rule of the matcher against the message, leaf by leaf, those that hold too. The message matches when all that
 * are of no `anyOf` item hold, and those of one item.
 */
export function explainInput(compiled: CompiledInput, message: Message): readonly FieldResult[] {
  const { matcher } = compiled;
  const items = (matcher.anyOf ?? []).flatMap((item, anyOf) =>
    explainRules(compiled, { ignoreArrayOrder: matcher.ignoreArrayOrder ?? false, ...item }, message).map(
      (result) => ({ ...result, anyOf }),
    ),
  );
  return [...explainRules(compiled, matcher, message), ...items];
}

/** What is being explained: one rule, and where the explanation stands. */
interface Place {
  readonly rule: 'equals' | RuleKind;
  readonly order: ListOrder;
  readonly types: ValueTypes;
  readonly path: string;
}

function explainRules(
  { type, types }: CompiledInput,
  rules: InputRules,
  message: Message,
): readonly FieldResult[] {
  const order = rules.ignoreArrayOrder === true ? inAnyOrder : inOrder;
  return (['equals', 'contains', 'matches', 'glob'] as const).flatMap((rule) => {
    const place: Place = { rule, order, types, path: '' };
    const json = rules[rule];
    if (json === undefined || json === null) return [];
    return isStructRequest(type)
      ? explainStruct(place, json, structMessageJson(message) as JsonObject)
      : explainFields(place, type, json, message);
  });
}

function explainFields(
  place: Place,
  type: MessageType,
  rules: JsonObject,
  message: unknown,
): readonly FieldResult[] {
  return Object.entries(rules).flatMap(([name, json]) => {
    const reader = type.names.get(name);
    const inner = { ...place, path: joinPath(place.path, reader?.field.name ?? name) };
    if (reader !== undefined) return explainValue(inner, reader.type, json, reader.get(message));
    const hint = json === null ? {} : { hint: `${type.desc.typeName} has no such field` };
    return [result(inner, json, null, json === null, hint)];
  });
}

function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function explainValue(place: Place, type: ValueType, json: Json, value: unknown): readonly FieldResult[] {
  if (type.kind === 'message' && isJsonObject(json) && Object.keys(json).length > 0) {
    const named = explainFields(place, type, json, value);
    return place.rule === 'equals' ? [...named, ...unnamedFields(place, type, json, value)] : named;
  }
  if (
    type.kind === 'list' &&
    Array.isArray(json) &&
    !place.order.unordered &&
    isPairwise(place, type, json, value)
  ) {
    return json.flatMap((item: Json, index) =>
      explainValue(at(place, `[${index}]`), type.item, item, (value as readonly unknown[])[index]),
    );
  }
  return [explainLeaf(place, type, json, value)];
}

function at(place: Place, suffix: string): Place {
  return { ...place, path: place.path + suffix };
}

/** Lists of one length are compared element by element, unless only their order differs; others are shown whole. */
function isPairwise({ rule, types }: Place, type: ValueType, json: readonly Json[], value: unknown): boolean {
  if (rule === 'contains' || json.length === 0 || !Array.isArray(value)) return false;
  const actual = types.json(type, value) as readonly Json[];
  return actual.length === json.length && !isReordered(json, actual);
}

/** Inside a message, what `equals` does not name must be at its default. */
function unnamedFields(
  place: Place,
  type: MessageType,
  rules: JsonObject,
  message: unknown,
): readonly FieldResult[] {
  const named = new Set(Object.keys(rules).map((name) => type.names.get(name)));
  return type.fields
    .filter((reader) => !named.has(reader) && !isDefault(reader, message, place.order))
    .map((reader) => {
      const actual = place.types.json(reader.type, reader.get(message));
      const expected = place.types.json(reader.type, undefined);
      return result(at(place, `.${reader.field.name}`), expected, actual, false, {
        hint: 'not named in the rule, so it must hold its default',
      });
    });
}

function isDefault({ type, get }: FieldReader, message: unknown, order: ListOrder): boolean {
  return canonicalText(type, get(message), order) === defaultText(type, order);
}

function explainLeaf(place: Place, type: ValueType, json: Json, value: unknown): FieldResult {
  const actual = place.types.json(type, value);
  const problems = new Problems();
  const ok = holds(place, type, json, value, problems);
  if (ok) return result(place, json, actual, true, {});
  const problem = problems.found[0]?.message;
  const hint = hintFor(json, actual, value === undefined) ?? problem;
  return result(place, json, actual, false, hint === undefined ? {} : { hint });
}

function holds(
  { rule, order }: Place,
  type: ValueType,
  json: Json,
  value: unknown,
  problems: Problems,
): boolean {
  if (rule !== 'equals') return compileRule(rule, type, json, order, problems)?.(value) ?? false;
  return expectedText(type, json, order, problems) === canonicalText(type, value, order);
}

function explainStruct(place: Place, rules: JsonObject, message: JsonObject): readonly FieldResult[] {
  return Object.entries(rules).map(([name, json]) => {
    const actual = Object.hasOwn(message, name) ? (message[name] ?? null) : null;
    const type: ValueType = { kind: 'dynamic', dynamic: 'value', json: () => actual };
    const test =
      place.rule === 'equals' ? undefined : dynamicTest(place.rule, json, place.order, new Problems());
    const ok = test === undefined ? holds(place, type, json, actual, new Problems()) : test(actual);
    const hint = ok ? undefined : hintFor(json, actual, !Object.hasOwn(message, name));
    return result(at(place, name), json, actual, ok, hint === undefined ? {} : { hint });
  });
}

function result(
  { rule, path }: Place,
  expected: Json,
  actual: Json,
  ok: boolean,
  hint: { readonly hint?: string },
): FieldResult {
  return { rule, path, expected, actual, ok, ...hint };
}
