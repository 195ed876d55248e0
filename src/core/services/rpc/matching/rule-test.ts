import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { unreachable } from '../../../kernel/unreachable.ts';
import { canonicalText, defaultText, type ListOrder } from './canonical-text.ts';
import { plainDynamic } from './dynamic-json.ts';
import { dynamicTest } from './dynamic-test.ts';
import { anyContent, expectedText } from './expected-text.ts';
import { holdsForList, type Holds } from './list-test.ts';
import type { LeafType } from './leaf-type.ts';
import { Problems } from './problems.ts';
import { patternTest, type RuleKind } from './rule-kind.ts';
import type { AnyType, ListType, MapType, MessageType, ValueType } from './value-type.ts';

/**
 * Compiles what a rule of `contains`, `matches` or `glob` says of values of one type. Undefined, with a problem, when no
 * value can meet it.
 */
export function compileRule(
  kind: RuleKind,
  type: ValueType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  // A null leaf of `contains` is a default to have; of a pattern there is none, and anything matches.
  if (json === null && type.kind !== 'dynamic') {
    return kind === 'contains' ? equalTo(type, defaultText(type, order), order) : always;
  }
  switch (type.kind) {
    case 'leaf':
      return leafRule(kind, type, json, order, problems);
    case 'message':
      return messageRule(kind, type, json, order, problems);
    case 'list':
      return listRule(kind, type, json, order, problems);
    case 'map':
      return mapRule(kind, type, json, order, problems);
    case 'dynamic': {
      const plain = plainDynamic(type.dynamic, json);
      if (plain === undefined)
        return problems.unfit(json, type.dynamic === 'struct' ? 'an object' : 'a list');
      const test = dynamicTest(kind, plain, order, problems);
      return test && ((value) => test(type.json(value)));
    }
    case 'any':
      return anyRule(kind, type, json, order, problems);
    default:
      return unreachable(type);
  }
}

const always: Holds = () => true;

function equalTo(type: ValueType, text: string | undefined, order: ListOrder): Holds | undefined {
  return text === undefined ? undefined : (value) => canonicalText(type, value, order) === text;
}

function leafRule(
  kind: RuleKind,
  type: LeafType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  if (kind !== 'contains') {
    const test = patternTest(kind, json, problems);
    return test && ((value) => test(type.shown(value)));
  }
  if (type.isString && typeof json === 'string') return (value) => type.text(value).includes(json);
  return equalTo(type, expectedText(type, json, order, problems), order);
}

function messageRule(
  kind: RuleKind,
  type: MessageType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  if (isJsonObject(json)) return compileFields(kind, type, json, order, problems);
  const form = type.scalarForm;
  if (form === undefined || Array.isArray(json)) {
    return problems.unfit(json, form?.takes ?? `an object (${type.desc.typeName})`);
  }
  if (kind !== 'contains') {
    const test = patternTest(kind, json, problems);
    return test && ((value) => test(form.shown(value)));
  }
  // A part of the text, or the same value in another spelling (a time in another zone).
  const isText = typeof json === 'string' && form.isText;
  const text = expectedText(type, json, order, isText ? new Problems() : problems);
  if (!isText) return equalTo(type, text, order);
  return (value) => form.shown(value).includes(json) || canonicalText(type, value, order) === text;
}

/** The rule on each field that it names; fields that it does not name are free. */
export function compileFields(
  kind: RuleKind,
  type: MessageType,
  rules: JsonObject,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  const tests = Object.entries(rules).map(([name, json]): Holds | undefined => {
    const reader = type.names.get(name);
    if (reader === undefined) return json === null ? always : problems.unknownField(type.desc, name);
    const test = compileRule(kind, reader.type, json, order, problems.at(name));
    return test && ((message) => test(reader.get(message)));
  });
  return allOf(tests);
}

function allOf(tests: readonly (Holds | undefined)[]): Holds | undefined {
  const [first, ...others] = tests;
  if (tests.length > 0 && first === undefined) return undefined;
  if (first !== undefined && others.length === 0) return first;
  return tests.every((test) => test !== undefined)
    ? (value) => tests.every((test) => test(value))
    : undefined;
}

function listRule(
  kind: RuleKind,
  type: ListType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  if (!Array.isArray(json)) return problems.unfit(json, 'a list');
  const tests = json.map((item: Json, index) =>
    compileRule(kind, type.item, item, order, problems.at(String(index))),
  );
  if (!tests.every((test) => test !== undefined)) return undefined;
  return (value) => holdsForList(kind, tests, (value ?? []) as readonly unknown[], order);
}

function mapRule(
  kind: RuleKind,
  type: MapType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  if (!isJsonObject(json)) return problems.unfit(json, 'an object');
  const tests = Object.entries(json).map(([name, item]): Holds | undefined => {
    const key = type.key.read(name);
    if (key === undefined) return problems.unfit(name, `a key that is ${type.key.takes}`);
    const test = compileRule(kind, type.item, item, order, problems.at(name));
    return test && ((value) => hasEntry(value, key) && test(value[key]));
  });
  return allOf(tests);
}

function hasEntry(value: unknown, key: string): value is Readonly<Record<string, unknown>> {
  return value !== undefined && Object.hasOwn(value as object, key);
}

/** In canonical form: `@type`, and the fields of what is packed, whose type only the message tells. */
function anyRule(
  kind: RuleKind,
  type: AnyType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): Holds | undefined {
  if (!isJsonObject(json)) return problems.unfit(json, 'an object with "@type"');
  const { '@type': url, typeUrl = url, type_url: rawUrl = typeUrl, ...fields } = json;
  const urlTest = rawUrl === undefined ? always : typeUrlTest(kind, rawUrl, problems.at('@type'));
  if (urlTest === undefined) return undefined;
  const byType = new Map<string, Holds | undefined>();
  return (value) => {
    const { typeUrl: actualUrl, typeName, type: inner, message } = type.open(value);
    if (!urlTest(actualUrl)) return false;
    if (Object.keys(fields).length === 0) return true;
    if (inner === undefined) return false;
    if (!byType.has(typeName)) {
      byType.set(typeName, compileRule(kind, inner, anyContent(inner, fields), order, new Problems()));
    }
    return byType.get(typeName)?.(message) ?? false;
  };
}

function typeUrlTest(kind: RuleKind, json: Json, problems: Problems): ((url: string) => boolean) | undefined {
  if (kind !== 'contains') return patternTest(kind, json, problems);
  return typeof json === 'string' ? (url) => url.includes(json) : problems.unfit(json, 'a type URL');
}
