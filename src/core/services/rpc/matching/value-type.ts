import {
  fromBinary,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import type { Json } from '../../../kernel/json.ts';
import { unreachable } from '../../../kernel/unreachable.ts';
import { listJson, structJson, structMessageJson, valueJson } from './dynamic-json.ts';
import { jsonOfMessage } from '../protobuf/json-writing.ts';
import { mapValues } from '../protobuf/struct-json.ts';
import { isJsonStruct, isUnwrapped, planOf } from '../protobuf/message-plan.ts';
import { enumType, scalarType, type LeafType } from './leaf-type.ts';
import { scalarFormOf, type ScalarForm } from './scalar-form.ts';

/** What kind of values a field holds; everything that matching needs to know of a descriptor, worked out once. */
export type ValueType = LeafType | MessageType | ListType | MapType | DynamicType | AnyType;

export interface MessageType {
  readonly kind: 'message';
  readonly desc: DescMessage;
  /** By field number. */
  readonly fields: readonly FieldReader[];
  /** By proto name and by JSON name. */
  readonly names: ReadonlyMap<string, FieldReader>;
  /** For well-known types that are one scalar in JSON: timestamps, durations, field masks, wrappers. */
  readonly scalarForm: ScalarForm | undefined;
}

export interface FieldReader {
  readonly field: DescField;
  readonly type: ValueType;
  /** The field's value in a message of its type; undefined when it is not set. */
  readonly get: (message: unknown) => unknown;
}

export interface ListType {
  readonly kind: 'list';
  readonly item: ValueType;
}

/** Values are records by key; `key.read` gives the record's key for a key written in JSON. */
export interface MapType {
  readonly kind: 'map';
  readonly key: LeafType;
  readonly item: ValueType;
}

/** `google.protobuf.Struct`, `Value` and `ListValue`: their values are JSON. */
export interface DynamicType {
  readonly kind: 'dynamic';
  readonly dynamic: 'struct' | 'value' | 'list';
  json(value: unknown): Json;
}

/** `google.protobuf.Any`. */
export interface AnyType {
  readonly kind: 'any';
  open(value: unknown): OpenedAny;
}

/** Any inside Any deeper than this is shown packed. */
const anyLevelsShownMax = 100;

/** What an Any holds; without `type` and `message` when its type is unknown or its bytes are not of it. */
export interface OpenedAny {
  readonly typeUrl: string;
  /** Without the part up to the last slash. */
  readonly typeName: string;
  readonly bytes: Uint8Array;
  readonly type?: ValueType;
  readonly message?: Message;
}

/** The types of all messages of one registry, made as they are asked for. */
export interface ValueTypes {
  /** The fields of a message, whatever its type is: a request is matched field by field. */
  message(desc: DescMessage): MessageType;
  /** A value for people; null for a message that is not set. */
  json(type: ValueType, value: unknown): Json;
}

const typesByRegistry = new WeakMap<Registry, ValueTypes>();

export function valueTypesOf(registry: Registry): ValueTypes {
  let types = typesByRegistry.get(registry);
  if (types === undefined) {
    types = makeValueTypes(registry);
    typesByRegistry.set(registry, types);
  }
  return types;
}

function makeValueTypes(registry: Registry): ValueTypes {
  const messages = new Map<DescMessage, MessageType>();

  function message(desc: DescMessage): MessageType {
    const known = messages.get(desc);
    if (known !== undefined) return known;
    const fields: FieldReader[] = [];
    const names = new Map<string, FieldReader>();
    const type: MessageType = { kind: 'message', desc, fields, names, scalarForm: scalarFormOf(desc) };
    // Before its fields: a message may contain itself.
    messages.set(desc, type);
    for (const field of desc.fields) fields.push({ field, type: typeOf(field), get: readerOf(field) });
    fields.sort((a, b) => a.field.number - b.field.number);
    const readers = new Map(fields.map((reader) => [reader.field, reader]));
    for (const [name, field] of planOf(desc).fieldNamed) names.set(name, readers.get(field) as FieldReader);
    return type;
  }

  function typeOf(field: DescField): ValueType {
    switch (field.fieldKind) {
      case 'scalar':
        return scalarType(field.scalar, field.getDefaultValue());
      case 'enum':
        return enumType(field.enum, field.getDefaultValue());
      case 'message':
        return typeOfMessage(field.message, structOf(field));
      case 'list':
        return { kind: 'list', item: itemType(field) };
      case 'map':
        return { kind: 'map', key: scalarType(field.mapKey), item: itemType(field) };
      default:
        return unreachable(field);
    }
  }

  function itemType(field: DescField & { fieldKind: 'list' | 'map' }): ValueType {
    if (field.message !== undefined) return typeOfMessage(field.message, structOf(field));
    return field.enum === undefined ? scalarType(field.scalar) : enumType(field.enum, undefined);
  }

  function typeOfMessage(desc: DescMessage, struct: (value: unknown) => Json): ValueType {
    switch (planOf(desc).wellKnown) {
      case 'Struct':
        return { kind: 'dynamic', dynamic: 'struct', json: struct };
      case 'Value':
        return { kind: 'dynamic', dynamic: 'value', json: valueJson };
      case 'ListValue':
        return { kind: 'dynamic', dynamic: 'list', json: listJson };
      case 'Any':
        return { kind: 'any', open: openAny };
      default:
        return message(desc);
    }
  }

  function openAny(value: unknown): OpenedAny {
    const { typeUrl = '', value: bytes = new Uint8Array(0) } = (value ?? {}) as Partial<AnyMessage>;
    const typeName = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
    const desc = typeName === '' ? undefined : registry.getMessage(typeName);
    if (desc === undefined) return { typeUrl, typeName, bytes };
    try {
      return {
        typeUrl,
        typeName,
        bytes,
        type: typeOfMessage(desc, structMessageJson),
        message: fromBinary(desc, bytes),
      };
    } catch {
      return { typeUrl, typeName, bytes };
    }
  }

  function json(type: ValueType, value: unknown): Json {
    switch (type.kind) {
      case 'leaf':
      case 'dynamic':
        return type.json(value);
      case 'message':
        return value === undefined ? null : messageJson(type.desc, value);
      case 'any':
        return value === undefined ? null : messageJson(AnySchema, value);
      case 'list':
        return ((value ?? []) as readonly unknown[]).map((item) => json(type.item, item));
      case 'map':
        return mapValues((value ?? {}) as Readonly<Record<string, unknown>>, (item) => json(type.item, item));
      default:
        return unreachable(type);
    }
  }

  // What a field holds is told by its descriptor; protobuf-es decoded it by the same.
  function messageJson(desc: DescMessage, value: unknown): Json {
    return jsonOfMessage(desc, value as Message, { registry, depthMax: anyLevelsShownMax });
  }

  return { message, json };
}

interface AnyMessage {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

function structOf(field: DescField): (value: unknown) => Json {
  return isJsonStruct(field) ? structJson : structMessageJson;
}

// ── Reading a field off a decoded message ───────────────────────────────────────────────────────────────────

type Fields = Readonly<Record<string, unknown>>;
type Group = { readonly case: string | undefined; readonly value?: unknown };

function readerOf(field: DescField): (message: unknown) => unknown {
  const { localName } = field;
  const group = field.oneof?.localName;
  if (group !== undefined) {
    return (message) => {
      const chosen = (message as Fields | undefined)?.[group] as Group | undefined;
      return chosen?.case === localName ? chosen.value : undefined;
    };
  }
  if (isUnwrapped(field)) {
    // protobuf-es keeps only the value of a wrapper that stands alone in a field; elsewhere the message.
    return (message) => {
      const value = (message as Fields | undefined)?.[localName];
      return value === undefined ? undefined : { value };
    };
  }
  return (message) => (message as Fields | undefined)?.[localName];
}
