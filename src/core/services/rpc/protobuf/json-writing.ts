import {
  fromBinary,
  getExtension,
  type DescExtension,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf';
import {
  FeatureSet_FieldPresence as Presence,
  type Any,
  type Duration,
  type FieldMask,
  type Timestamp,
} from '@bufbuild/protobuf/wkt';
import { base64 } from '../../../kernel/bytes.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { unreachable } from '../../../kernel/unreachable.ts';
import { enumJson, scalarJson, type ScalarValue } from './json-scalars.ts';
import { isJsonStruct, isUnwrapped, planOf } from './message-plan.ts';
import { jsonOfStruct, plainJson, putOwn } from './struct-json.ts';
import { durationText, fieldMaskText, timestampText } from './well-known-json.ts';

export interface WriteOptions {
  readonly registry: Registry;
  /** What is packed in `Any` deeper than this stays packed. */
  readonly depthMax: number;
  /** Fields that are not set and have no default stand there as `null`; otherwise they are left out. */
  readonly unsetAsNull?: boolean;
}

/** The JSON of a decoded message; never throws. See `messageJson`. */
export function jsonOfMessage(desc: DescMessage, message: Message, options: WriteOptions, depth = 0): Json {
  const { wellKnown } = planOf(desc);
  if (wellKnown === undefined) return jsonOfFields(desc, message, options, depth);
  // The type's name tells what the message is; the files that define these types are pinned.
  switch (wellKnown) {
    case 'Struct':
    case 'Value':
    case 'ListValue':
      return jsonOfStruct(message);
    case 'Timestamp':
      return timestampText(message as Timestamp) ?? jsonOfFields(desc, message, options, depth);
    case 'Duration':
      return durationText(message as Duration) ?? jsonOfFields(desc, message, options, depth);
    case 'FieldMask':
      return fieldMaskText((message as FieldMask).paths) ?? jsonOfFields(desc, message, options, depth);
    case 'Any':
      return jsonOfAny(message as Any, options, depth);
    case 'wrapper':
      return jsonOfWrapper(desc, message);
    default:
      return unreachable(wellKnown);
  }
}

function jsonOfWrapper(desc: DescMessage, message: Message): Json {
  const [field] = desc.fields;
  const value = (message as Message & { readonly value?: ScalarValue }).value;
  return field?.scalar === undefined || value === undefined ? null : scalarJson(field.scalar, value);
}

function jsonOfFields(desc: DescMessage, message: Message, options: WriteOptions, depth: number): JsonObject {
  const json: Record<string, Json> = {};
  for (const field of planOf(desc).sorted) {
    const value = valueOf(message, field);
    if (value !== undefined) json[field.name] = jsonOfField(field, value, options, depth);
    else if (options.unsetAsNull === true) json[field.name] = null;
  }
  for (const { no } of message.$unknown ?? [])
    putExtension(json, options.registry.getExtensionFor(desc, no), message, options, depth);
  return json;
}

/** The value to show: what is set, and the default of a field that cannot be unset. */
function valueOf(message: Message, field: DescField): unknown {
  // Messages are objects whose properties are the local names of their fields and oneofs.
  const values = message as unknown as Readonly<Record<string, unknown>>;
  if (field.oneof !== undefined) {
    const { case: name, value } = values[field.oneof.localName] as {
      readonly case?: string;
      readonly value?: unknown;
    };
    return name === field.localName ? value : undefined;
  }
  // A field with presence has its default on the prototype.
  const isThere = field.presence === Presence.IMPLICIT || Object.hasOwn(message, field.localName);
  return isThere ? values[field.localName] : undefined;
}

function jsonOfField(
  field: DescField | DescExtension,
  value: unknown,
  options: WriteOptions,
  depth: number,
): Json {
  if (field.fieldKind === 'list')
    return (value as readonly unknown[]).map((item) => jsonOfElement(field, item, options, depth));
  if (field.fieldKind !== 'map') return jsonOfElement(field, value, options, depth);
  const json: Record<string, Json> = {};
  const entries = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(entries).sort())
    putOwn(json, key, jsonOfElement(field, entries[key], options, depth));
  return json;
}

function jsonOfElement(
  field: DescField | DescExtension,
  value: unknown,
  options: WriteOptions,
  depth: number,
): Json {
  // What a field holds is told by its descriptor; protobuf-es decoded it by the same.
  if (field.enum !== undefined) return enumJson(field.enum, value as number);
  if (field.message === undefined) return scalarJson(field.scalar, value as ScalarValue);
  if (isJsonStruct(field)) return plainJson(value as Json);
  const [wrapped] = field.message.fields;
  if (isUnwrapped(field) && wrapped?.scalar !== undefined)
    return scalarJson(wrapped.scalar, value as ScalarValue);
  return jsonOfMessage(field.message, value as Message, options, depth + 1);
}

function jsonOfAny(any: Any, options: WriteOptions, depth: number): JsonObject {
  const desc = options.registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1));
  const message = desc === undefined || depth > options.depthMax ? undefined : unpacked(desc, any.value);
  if (any.typeUrl === '' && any.value.length === 0) return {};
  if (desc === undefined || message === undefined) return { '@type': any.typeUrl, value: base64(any.value) };
  const json = jsonOfMessage(desc, message, options, depth + 1);
  if (planOf(desc).wellKnown !== undefined) return { '@type': any.typeUrl, value: json };
  return { '@type': any.typeUrl, ...(json as JsonObject) };
}

function unpacked(desc: DescMessage, bytes: Uint8Array): Message | undefined {
  try {
    return fromBinary(desc, bytes);
  } catch {
    return undefined;
  }
}

function putExtension(
  json: Record<string, Json>,
  extension: DescExtension | undefined,
  message: Message,
  options: WriteOptions,
  depth: number,
): void {
  const key = `[${extension?.typeName ?? ''}]`;
  if (extension === undefined || Object.hasOwn(json, key)) return;
  try {
    json[key] = jsonOfField(extension, getExtension(message, extension), options, depth);
  } catch {
    // The unknown field is not what the extension's type says: it stays unknown.
  }
}
