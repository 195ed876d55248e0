import { fromBase64 } from '../../../kernel/bytes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { unreachable } from '../../../kernel/unreachable.ts';
import {
  anyText,
  defaultText,
  dynamicText,
  fieldPart,
  listText,
  part,
  type ListOrder,
} from './canonical-text.ts';
import { plainDynamic } from './dynamic-json.ts';
import type { Problems } from './problems.ts';
import type { AnyType, MapType, MessageType, ValueType } from './value-type.ts';

/**
 * The canonical text of the value that `json` writes down; undefined, and a problem, when no value of the type is
 * written so. Field names in either spelling; well-known types in canonical or in raw form; null is the default.
 */
export function expectedText(
  type: ValueType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): string | undefined {
  if (json === null && type.kind !== 'dynamic') return defaultText(type, order);
  switch (type.kind) {
    case 'leaf':
      return type.read(json) ?? problems.unfit(json, type.takes);
    case 'message':
      return expectedMessage(type, json, order, problems);
    case 'list':
      return expectedList(type.item, json, order, problems);
    case 'map':
      return expectedMap(type, json, order, problems);
    case 'dynamic':
      return expectedDynamic(type.dynamic, json, order, problems);
    case 'any':
      return expectedAny(type, json, order, problems);
    default:
      return unreachable(type);
  }
}

function expectedMessage(
  type: MessageType,
  json: Json,
  order: ListOrder,
  problems: Problems,
): string | undefined {
  const fields = isJsonObject(json) ? json : type.scalarForm?.fields(json);
  if (fields === undefined)
    return problems.unfit(json, type.scalarForm?.takes ?? `an object (${type.desc.typeName})`);
  return expectedFields(type, fields, order, problems);
}

function expectedFields(
  type: MessageType,
  fields: JsonObject,
  order: ListOrder,
  problems: Problems,
): string | undefined {
  const texts = new Map<number, string>();
  let isComplete = true;
  for (const [name, json] of Object.entries(fields)) {
    const reader = type.names.get(name);
    if (reader === undefined) {
      if (json === null) continue;
      problems.unknownField(type.desc, name);
      isComplete = false;
      continue;
    }
    const text = expectedText(reader.type, json, order, problems.at(name));
    const { number } = reader.field;
    if (text === undefined || (texts.get(number) ?? text) !== text) isComplete = false;
    else texts.set(number, text);
  }
  return isComplete ? fieldsText(type, texts, order) : undefined;
}

function fieldsText(type: MessageType, texts: ReadonlyMap<number, string>, order: ListOrder): string {
  return type.fields
    .map((reader) => {
      const text = texts.get(reader.field.number);
      const isNamed = text !== undefined && text !== defaultText(reader.type, order);
      return isNamed ? fieldPart(reader.field.number, text) : '';
    })
    .join('');
}

function expectedList(item: ValueType, json: Json, order: ListOrder, problems: Problems): string | undefined {
  if (!Array.isArray(json)) return problems.unfit(json, 'a list');
  const texts = json.map((each: Json, index) => expectedText(item, each, order, problems.at(String(index))));
  return texts.every((text) => text !== undefined) ? listText(texts, order) : undefined;
}

function expectedMap(type: MapType, json: Json, order: ListOrder, problems: Problems): string | undefined {
  if (!isJsonObject(json)) return problems.unfit(json, 'an object');
  const entries = Object.entries(json).map(([name, each]) => {
    const key = type.key.read(name);
    const text = expectedText(type.item, each, order, problems.at(name));
    if (key === undefined) return problems.unfit(name, `a key that is ${type.key.takes}`);
    return text === undefined ? undefined : part(key) + part(text);
  });
  return entries.every((entry) => entry !== undefined) ? entries.sort().join('') : undefined;
}

function expectedDynamic(
  dynamic: 'struct' | 'value' | 'list',
  json: Json,
  order: ListOrder,
  problems: Problems,
): string | undefined {
  const plain = plainDynamic(dynamic, json);
  if (plain === undefined) return problems.unfit(json, dynamic === 'struct' ? 'an object' : 'a list');
  return dynamicText(plain, order);
}

function expectedAny(type: AnyType, json: Json, order: ListOrder, problems: Problems): string | undefined {
  if (!isJsonObject(json)) return problems.unfit(json, 'an object with "@type"');
  const { '@type': canonicalUrl, typeUrl = canonicalUrl, type_url: url = typeUrl, ...fields } = json;
  if (typeof url !== 'string') return problems.unfit(json, 'an object with "@type"');
  const { type: inner, typeName } = type.open({ typeUrl: url });
  const packed = canonicalUrl === undefined || inner === undefined ? packedBytes(fields) : undefined;
  if (packed !== undefined) return anyText(type.open({ typeUrl: url, value: packed }), order);
  if (inner === undefined) return problems.note(`never matches: the type ${url} is not known`);
  const text = expectedText(inner, anyContent(inner, fields), order, problems);
  return text === undefined ? undefined : `${part(typeName)}m${text}`;
}

/** Inside an Any, a type that is not an object of its fields in JSON stands under `value`. */
export function anyContent(inner: ValueType, fields: JsonObject): Json {
  const isPlain = inner.kind === 'message' && inner.scalarForm === undefined;
  return isPlain || fields['value'] === undefined ? fields : fields['value'];
}

/** Of an Any in its raw form. */
function packedBytes({ value = '', ...others }: JsonObject): Uint8Array | undefined {
  if (typeof value !== 'string' || Object.keys(others).length > 0) return undefined;
  try {
    return fromBase64(value);
  } catch {
    return undefined;
  }
}
