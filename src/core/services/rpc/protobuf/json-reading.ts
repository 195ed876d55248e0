import {
  create,
  setExtension,
  toBinary,
  type DescExtension,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf';
import { AnySchema, DurationSchema, FieldMaskSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { unreachable } from '../../../kernel/unreachable.ts';
import {
  enumFromJson,
  mapKeyFromText,
  scalarFromJson,
  scalarTakes,
  type ScalarValue,
} from './json-scalars.ts';
import { fieldTypeText, isJsonStruct, isUnwrapped, planOf, type WellKnown } from './message-plan.ts';
import {
  listFromJson,
  listMessage,
  putOwn,
  structFromJson,
  structMessage,
  valueFromJson,
  valueMessage,
} from './struct-json.ts';
import { durationFromText, fieldMaskFromText, timestampFromText } from './well-known-json.ts';

/** A field's value as protobuf-es keeps it in the property of the message. */
export type FieldValue = ScalarValue | Message | JsonObject | readonly FieldValue[] | FieldRecord;

/** The entries of a map field, by the text of the key. */
export interface FieldRecord {
  readonly [key: string]: FieldValue;
}

export interface ReadOptions {
  /** Where `Any` and extensions find their types. */
  readonly registry: Registry;
  /** Refuse a message that lacks a required field (proto2). */
  readonly complete: boolean;
  /** Messages, and objects and lists within a `Struct`, in one another. */
  readonly depthMax: number;
}

/** What does not fit, and where: thrown by the readers below, and by nothing else. */
export class Misfit extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], problem: string) {
    super(problem);
    this.path = [...path];
  }
}

/** Reads JSON into messages and values of fields; throws a `Misfit`. One reader reads one value. */
export class JsonReader {
  readonly #options: ReadOptions;
  readonly #path: (string | number)[] = [];
  #depth = 0;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** A message in canonical JSON form or as an object of its fields; `null` is the empty message (for Value, `null`). */
  message(desc: DescMessage, json: Json): Message {
    if (this.#depth >= this.#options.depthMax)
      throw this.#misfit(`${desc.typeName} nests deeper than ${this.#options.depthMax} levels`);
    this.#depth += 1;
    const { wellKnown } = planOf(desc);
    const known = wellKnown === undefined ? undefined : this.#wellKnown(wellKnown, desc, json);
    const message = known ?? this.#fields(desc, json);
    this.#depth -= 1;
    return message;
  }

  /** The value of a field, a whole list or map too; `undefined` for `null`, which is no value. */
  field(field: DescField | DescExtension, json: Json): FieldValue | undefined {
    if (json === null && !takesNull(field)) return undefined;
    if (field.fieldKind === 'list') return this.#list(field, json);
    if (field.fieldKind === 'map') return this.#map(field, json);
    return this.element(field, json);
  }

  /** One element of a list, the value of one map entry, or the value of a singular field. */
  element(field: DescField | DescExtension, json: Json): FieldValue {
    if (field.message !== undefined) return this.#messageElement(field, field.message, json);
    if (field.enum !== undefined) {
      return (
        enumFromJson(field.enum, json) ??
        this.#refuse(field, `a value of ${field.enum.typeName} by name or number`, json)
      );
    }
    return scalarFromJson(field.scalar, json) ?? this.#refuse(field, scalarTakes(field.scalar), json);
  }

  #messageElement(field: DescField | DescExtension, desc: DescMessage, json: Json): FieldValue {
    if (json === null && planOf(desc).wellKnown !== 'Value')
      return this.#refuse(field, `a ${desc.typeName}`, json);
    if (isJsonStruct(field)) return this.#struct(json) ?? this.#refuse(field, 'an object', json);
    const message = this.message(desc, json);
    // A wrapper has one field, `value`, and it is a scalar.
    return isUnwrapped(field) ? ((message as Message & { value?: ScalarValue }).value ?? message) : message;
  }

  #list(field: DescField | DescExtension, json: Json): readonly FieldValue[] {
    if (!Array.isArray(json)) return this.#refuse(field, 'a list', json);
    return (json as readonly Json[]).map((item, index) => this.#at(index, () => this.element(field, item)));
  }

  #map(field: DescField & { readonly fieldKind: 'map' }, json: Json): FieldRecord {
    if (!isJsonObject(json)) return this.#refuse(field, 'an object', json);
    const record: Record<string, FieldValue> = {};
    for (const [text, value] of Object.entries(json)) {
      this.#at(text, () => {
        const key = mapKeyFromText(field.mapKey, text);
        if (key === undefined) return this.#refuse(field, `keys that are ${scalarTakes(field.mapKey)}`, text);
        if (Object.hasOwn(record, key)) throw this.#misfit(`field ${nameOf(field)} has the key ${key} twice`);
        return putOwn(record, key, this.element(field, value));
      });
    }
    return record;
  }

  #fields(desc: DescMessage, json: Json): Message {
    const message = create(desc);
    if (json !== null && !isJsonObject(json))
      throw this.#misfit(`${desc.typeName} takes an object, got ${shown(json)}`);
    const seen = new Set<DescField | DescExtension | object>();
    for (const [key, value] of Object.entries(json ?? {}))
      this.#at(key, () => this.#setNamed(desc, message, key, value, seen));
    const missing = this.#options.complete
      ? planOf(desc).required.find((field) => !seen.has(field))
      : undefined;
    if (missing !== undefined) throw this.#misfit(`field ${nameOf(missing)} is required`);
    return message;
  }

  #setNamed(desc: DescMessage, message: Message, key: string, json: Json, seen: Set<object>): void {
    const field = planOf(desc).fieldNamed.get(key);
    if (field === undefined) return this.#setExtension(desc, message, key, json);
    if (seen.has(field))
      throw this.#misfit(`field ${nameOf(field)} is set twice, by its proto name and its JSON name`);
    const value = this.field(field, json);
    if (value === undefined) return undefined;
    seen.add(field);
    if (field.oneof !== undefined) {
      if (seen.has(field.oneof))
        throw this.#misfit(`field ${nameOf(field)} is a second member of oneof ${field.oneof.name}`);
      seen.add(field.oneof);
    }
    return setValue(message, field, value);
  }

  #setExtension(desc: DescMessage, message: Message, key: string, json: Json): void {
    const name = key.startsWith('[') && key.endsWith(']') ? key.slice(1, -1) : undefined;
    const extension = name === undefined ? undefined : this.#options.registry.getExtension(name);
    if (extension?.extendee.typeName !== desc.typeName)
      throw this.#misfit(`${desc.typeName} has no field ${JSON.stringify(key)}`);
    const value = this.field(extension, json);
    // The reader made the value for this extension.
    if (value !== undefined) setExtension(message, extension, value as never);
  }

  // ── Well-known types ──────────────────────────────────────────────────────────────────────────────────────

  /** `undefined` where the JSON is to be read as an object of the message's fields. */
  #wellKnown(kind: WellKnown, desc: DescMessage, json: Json): Message | undefined {
    switch (kind) {
      case 'Any':
        return isJsonObject(json) && Object.hasOwn(json, '@type') ? this.#any(json) : undefined;
      case 'Struct': {
        const struct = json === null ? {} : this.#struct(json);
        return struct === undefined ? undefined : structMessage(struct);
      }
      case 'ListValue': {
        const list = json === null ? [] : listFromJson(json);
        return list === undefined ? undefined : listMessage(this.#shallow(list));
      }
      case 'Value':
        return valueMessage(this.#shallow(valueFromJson(this.#shallow(json))));
      case 'wrapper':
        return this.#wrapper(desc, json);
      case 'Timestamp':
      case 'Duration':
      case 'FieldMask':
        return typeof json === 'string' ? this.#text(kind, json) : undefined;
      default:
        return unreachable(kind);
    }
  }

  #text(kind: 'Timestamp' | 'Duration' | 'FieldMask', text: string): Message {
    if (kind === 'FieldMask') return create(FieldMaskSchema, { paths: fieldMaskFromText(text) });
    const isTimestamp = kind === 'Timestamp';
    const parts = isTimestamp ? timestampFromText(text) : durationFromText(text);
    const wanted = isTimestamp ? 'an RFC 3339 time such as "2026-01-01T00:00:00Z"' : 'seconds such as "3.5s"';
    if (parts === undefined)
      throw this.#misfit(`google.protobuf.${kind} takes ${wanted}, got ${shown(text)}`);
    return isTimestamp ? create(TimestampSchema, parts) : create(DurationSchema, parts);
  }

  #wrapper(desc: DescMessage, json: Json): Message | undefined {
    if (json === null || (isJsonObject(json) && Object.keys(json).every((key) => key === 'value')))
      return undefined;
    const message = create(desc);
    const [field] = desc.fields;
    if (field !== undefined) setValue(message, field, this.element(field, json));
    return message;
  }

  #struct(json: Json): JsonObject | undefined {
    const struct = structFromJson(this.#shallow(json));
    return struct === undefined ? undefined : this.#shallow(struct);
  }

  /** The JSON itself, when it is not too deep for the engine's stack, nor for those who decode it. */
  #shallow<Value extends Json>(json: Value): Value {
    const levels = this.#options.depthMax - this.#depth;
    if (isDeeper(json, levels)) throw this.#misfit(`nests deeper than ${this.#options.depthMax} levels`);
    return json;
  }

  #any(json: JsonObject): Message {
    const typeUrl = json['@type'];
    if (typeof typeUrl !== 'string')
      throw this.#misfit(`google.protobuf.Any takes a type URL as "@type", got ${shown(typeUrl ?? null)}`);
    const desc = this.#options.registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
    if (desc === undefined) throw this.#misfit(`the type ${shown(typeUrl)} is not known`);
    const { '@type': _, ...rest } = json;
    const isWrapped = planOf(desc).wellKnown !== undefined && Object.keys(rest).join() === 'value';
    const message = isWrapped
      ? this.#at('value', () => this.message(desc, rest['value'] ?? null))
      : this.message(desc, rest);
    return create(AnySchema, { typeUrl, value: toBinary(desc, message) });
  }

  // ── Where it does not fit ─────────────────────────────────────────────────────────────────────────────────

  #at<Value>(key: string | number, read: () => Value): Value {
    this.#path.push(key);
    const value = read();
    // A misfit leaves the path as it was where it happened; nothing is read after it.
    this.#path.pop();
    return value;
  }

  #refuse(field: DescField | DescExtension, wanted: string, json: Json): never {
    throw this.#misfit(
      `field ${nameOf(field)} (${fieldTypeText(field)}) takes ${wanted}, got ${shown(json)}`,
    );
  }

  #misfit(problem: string): Misfit {
    return new Misfit(this.#path, problem);
  }
}

function takesNull(field: DescField | DescExtension): boolean {
  if (field.fieldKind === 'list' || field.fieldKind === 'map') return false;
  const typeName = (field.message ?? field.enum)?.typeName;
  return typeName === 'google.protobuf.Value' || typeName === 'google.protobuf.NullValue';
}

function setValue(message: Message, field: DescField, value: FieldValue): void {
  // Messages are objects whose properties are the local names of their fields and oneofs.
  const properties = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) properties[field.localName] = value;
  else properties[field.oneof.localName] = { case: field.localName, value };
}

function nameOf(field: DescField | DescExtension): string {
  return field.kind === 'extension' ? `[${field.typeName}]` : `${field.parent.typeName}.${field.name}`;
}

const shownLengthMax = 60;

function shown(json: Json): string {
  if (Array.isArray(json)) return `a list of ${json.length}`;
  if (isJsonObject(json)) return 'an object';
  const text = JSON.stringify(json);
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}

function isDeeper(json: Json, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (levels <= 0) return true;
  return Object.values(json).some((value: Json) => isDeeper(value, levels - 1));
}
