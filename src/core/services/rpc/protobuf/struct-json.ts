import { create, type Message } from '@bufbuild/protobuf';
import {
  ListValueSchema,
  NullValue,
  StructSchema,
  ValueSchema,
  type ListValue,
  type Struct,
  type Value,
} from '@bufbuild/protobuf/wkt';
import { unreachable } from '../../../kernel/unreachable.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';

// `google.protobuf.Struct` and its kin stand for JSON itself. Authors write either the JSON, or the fields of the
// messages (`{fields: {a: {stringValue: "x"}}}`); the second is taken only where every part of it fits the messages.

/** The object that a `Struct` stands for, or `undefined` when it is written as neither form. */
export function structFromJson(json: Json): JsonObject | undefined {
  if (!isJsonObject(json)) return undefined;
  return isRawStruct(json) ? structOfRaw(json) : json;
}

export function valueFromJson(json: Json): Json {
  return isRawValue(json) ? valueOfRaw(json) : json;
}

export function listFromJson(json: Json): readonly Json[] | undefined {
  if (Array.isArray(json)) return json as readonly Json[];
  if (!isRawList(json)) return undefined;
  return json['values'].map(valueFromJson);
}

interface RawStruct extends JsonObject {
  readonly fields: JsonObject;
}

interface RawList extends JsonObject {
  readonly values: readonly Json[];
}

function isRawStruct(json: Json): json is RawStruct {
  if (!hasOneKey(json, 'fields') || !isJsonObject(json['fields'])) return false;
  return Object.values(json['fields']).every(isRawValue);
}

function isRawList(json: Json): json is RawList {
  return hasOneKey(json, 'values') && Array.isArray(json['values']);
}

function hasOneKey(json: Json, key: string): json is JsonObject {
  return isJsonObject(json) && Object.hasOwn(json, key) && Object.keys(json).length === 1;
}

const rawKinds: ReadonlyMap<string, (json: Json) => boolean> = new Map([
  ['nullValue', isRawNull],
  [
    'numberValue',
    (json: Json) => typeof json === 'number' || json === 'NaN' || json === 'Infinity' || json === '-Infinity',
  ],
  ['stringValue', (json: Json) => typeof json === 'string'],
  ['boolValue', (json: Json) => typeof json === 'boolean'],
  ['structValue', isRawStruct],
  ['listValue', (json: Json) => isRawList(json) && json.values.every(isRawValue)],
]);

function isRawNull(json: Json): boolean {
  return json === null || json === 0 || json === 'NULL_VALUE';
}

function isRawValue(json: Json): json is JsonObject {
  if (!isJsonObject(json)) return false;
  const [key, ...others] = Object.keys(json);
  if (key === undefined || others.length > 0) return false;
  return rawKinds.get(kindName(key))?.(json[key] ?? null) === true;
}

function kindName(key: string): string {
  return key.endsWith('_value') ? key.replace('_value', 'Value') : key;
}

function structOfRaw(json: RawStruct): JsonObject {
  return mapValues(json.fields, valueFromJson);
}

function valueOfRaw(json: JsonObject): Json {
  const [key = ''] = Object.keys(json);
  const value = json[key] ?? null;
  if (kindName(key) === 'nullValue') return null;
  if (kindName(key) === 'numberValue') return Number(value);
  if (isRawStruct(value)) return structOfRaw(value);
  return isRawList(value) ? value.values.map(valueFromJson) : value;
}

/** A new object with every value replaced; a key named `__proto__` stays a key. */
export function mapValues<Value>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Json,
): JsonObject {
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(object)) putOwn(result, key, change(value, key));
  return result;
}

/** Sets a property of the object itself: assigning to `__proto__` would set its prototype. */
export function putOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

// ── Messages of it ──────────────────────────────────────────────────────────────────────────────────────────

export function structMessage(json: JsonObject): Struct {
  const message = create(StructSchema);
  for (const [key, value] of Object.entries(json)) putOwn<Value>(message.fields, key, valueMessage(value));
  return message;
}

export function listMessage(json: readonly Json[]): ListValue {
  return create(ListValueSchema, { values: json.map(valueMessage) });
}

export function valueMessage(json: Json): Value {
  const message = create(ValueSchema);
  if (json === null) message.kind = { case: 'nullValue', value: NullValue.NULL_VALUE };
  else if (typeof json === 'string') message.kind = { case: 'stringValue', value: json };
  else if (typeof json === 'number') message.kind = { case: 'numberValue', value: json };
  else if (typeof json === 'boolean') message.kind = { case: 'boolValue', value: json };
  else if (isJsonObject(json)) message.kind = { case: 'structValue', value: structMessage(json) };
  else message.kind = { case: 'listValue', value: listMessage(json) };
  return message;
}

// ── And back ────────────────────────────────────────────────────────────────────────────────────────────────

/** The JSON of a `Struct`, `Value` or `ListValue` message; a number that JSON has no word for becomes its name. */
export function jsonOfStruct(message: Message): Json {
  switch (message.$typeName) {
    case 'google.protobuf.Struct':
      return sortedObject((message as Struct).fields, jsonOfStruct);
    case 'google.protobuf.ListValue':
      return (message as ListValue).values.map(jsonOfStruct);
    default:
      return jsonOfValue(message as Value);
  }
}

function jsonOfValue({ kind }: Value): Json {
  switch (kind.case) {
    case 'structValue':
    case 'listValue':
      return jsonOfStruct(kind.value);
    case 'numberValue':
      return finite(kind.value);
    case 'stringValue':
    case 'boolValue':
      return kind.value;
    case 'nullValue':
    case undefined:
      return null;
    default:
      return unreachable(kind);
  }
}

/** JSON that protobuf-es keeps for a `Struct`, with sorted keys. */
export function plainJson(json: Json): Json {
  if (typeof json === 'number') return finite(json);
  if (Array.isArray(json)) return (json as readonly Json[]).map(plainJson);
  return isJsonObject(json) ? sortedObject(json, plainJson) : json;
}

function finite(value: number): Json {
  return Number.isFinite(value) ? value : String(value);
}

function sortedObject<Value>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value) => Json,
): JsonObject {
  const result: Record<string, Json> = {};
  // The key is one of the object's own.
  for (const key of Object.keys(object).sort()) putOwn(result, key, change(object[key] as Value));
  return result;
}
