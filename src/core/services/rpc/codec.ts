import {
  fromBinary,
  toBinary,
  type DescExtension,
  type DescField,
  type DescMessage,
  type Message,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { jsonPointer } from '../../kernel/json-pointer.ts';
import type { Descriptors } from './descriptors.ts';
import { JsonReader, Misfit, type FieldValue } from './protobuf/json-reading.ts';
import { jsonOfMessage } from './protobuf/json-writing.ts';
import { planOf } from './protobuf/message-plan.ts';

export type { FieldValue };

/** Messages in one another: the limit that protobuf implementations share, and that `fromBinary` keeps by itself. */
export const messageDepthMax = 100;

export type Decoded =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly problem: string };

/**
 * Decodes one message; never throws. Unknown fields are kept, truncated bytes, deep nesting and (where the field's
 * syntax says so) invalid UTF-8 are refused. The message's bytes fields are views of `bytes`.
 */
export function decodeMessage(desc: DescMessage, bytes: Uint8Array): Decoded {
  try {
    return { ok: true, message: fromBinary(desc, bytes) };
  } catch (problem) {
    return { ok: false, problem: `not a ${desc.typeName}: ${problemText(problem)}` };
  }
}

/** A conversion from JSON: `pointer` is where in it (RFC 6901), `problem` what was expected of which field and what came. */
export type Converted<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

export type Encoded =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

/**
 * Encodes JSON as a message. Lenient in what it takes: fields by proto name or JSON name, enums by name or number, numbers
 * also as strings, 64-bit integers exact, bytes as base64 of either alphabet, well-known types in canonical JSON or as
 * objects of their fields, `Any` by `@type`. `null` is an unset field.
 */
export function encodeJson(desc: DescMessage, json: Json, descriptors: Descriptors): Encoded {
  const read = converted(descriptors, true, (reader) => toBinary(desc, reader.message(desc, json)));
  return read.ok ? { ok: true, bytes: read.value } : read;
}

/** The message that JSON stands for, in the same lenient forms; required fields may be missing. */
export function messageFromJson(desc: DescMessage, json: Json, descriptors: Descriptors): Converted<Message> {
  return converted(descriptors, false, (reader) => reader.message(desc, json));
}

/**
 * The value of a field that JSON stands for, a whole list or map too, as protobuf-es keeps it in the property of a
 * decoded message: 64-bit integers as bigints, a wrapper outside a oneof as its scalar, a Struct as a JSON object. `null`
 * gives `undefined`.
 */
export function fieldFromJson(
  field: DescField | DescExtension,
  json: Json,
  descriptors: Descriptors,
): Converted<FieldValue | undefined> {
  return converted(descriptors, false, (reader) => reader.field(field, json));
}

/** As `fieldFromJson`, for one element of a list or the value of one entry of a map. */
export function elementFromJson(
  field: DescField | DescExtension,
  json: Json,
  descriptors: Descriptors,
): Converted<FieldValue> {
  return converted(descriptors, false, (reader) => reader.element(field, json));
}

/** The field with that proto name or JSON name. */
export function fieldNamed(desc: DescMessage, name: string): DescField | undefined {
  return planOf(desc).fieldNamed.get(name);
}

/**
 * The JSON of a decoded message for people: proto field names, keys sorted, defaults of fields without presence filled
 * in, enums by name, 64-bit integers as strings, bytes as base64, well-known types in canonical form. Never throws: what
 * has no canonical form (a time out of range, an `Any` of an unknown type) is shown by its fields.
 */
export function messageJson(message: Message, desc: DescMessage, descriptors: Descriptors): Json {
  return jsonOfMessage(desc, message, { registry: descriptors.registry, depthMax: messageDepthMax });
}

/** As `messageJson`, with `null` for what is not set and has no default: templates ask whether a field is set. */
export function templateJson(message: Message, desc: DescMessage, descriptors: Descriptors): Json {
  return jsonOfMessage(desc, message, {
    registry: descriptors.registry,
    depthMax: messageDepthMax,
    unsetAsNull: true,
  });
}

/** An encoded message with the URL of its type. */
export interface PackedAny {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

export type Packed =
  | { readonly ok: true; readonly any: PackedAny }
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

/** Packs the proto JSON of a message. `typeUrl` may be the bare type name, and becomes `type.googleapis.com/` with it. */
export function packAny(typeUrl: string, json: Json, descriptors: Descriptors): Packed {
  const desc = descriptors.registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (desc === undefined)
    return { ok: false, pointer: '', problem: `the type ${JSON.stringify(typeUrl)} is not known` };
  const isWrapped =
    planOf(desc).wellKnown !== undefined && isJsonObject(json) && Object.keys(json).join() === 'value';
  const encoded = encodeJson(desc, isWrapped ? (json['value'] ?? null) : json, descriptors);
  if (!encoded.ok) return isWrapped ? { ...encoded, pointer: `/value${encoded.pointer}` } : encoded;
  const url = typeUrl.includes('/') ? typeUrl : `type.googleapis.com/${typeUrl}`;
  return { ok: true, any: { typeUrl: url, value: encoded.bytes } };
}

export interface Status {
  readonly code: number;
  readonly message: string;
  readonly details: readonly PackedAny[];
}

/** An encoded `google.rpc.Status`: the content of the `grpc-status-details-bin` trailer. */
export function encodeStatus(status: Status): Uint8Array {
  const writer = new BinaryWriter();
  if (status.code !== 0) writer.tag(1, WireType.Varint).int32(status.code);
  if (status.message !== '') writer.tag(2, WireType.LengthDelimited).string(status.message);
  for (const { typeUrl, value } of status.details) {
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(typeUrl);
    if (value.length > 0) writer.tag(2, WireType.LengthDelimited).bytes(value);
    writer.join();
  }
  return writer.finish();
}

function converted<Value>(
  descriptors: Descriptors,
  complete: boolean,
  read: (reader: JsonReader) => Value,
): Converted<Value> {
  try {
    const options = { registry: descriptors.registry, complete, depthMax: messageDepthMax };
    return { ok: true, value: read(new JsonReader(options)) };
  } catch (problem) {
    const pointer = problem instanceof Misfit ? jsonPointer(problem.path) : '';
    return { ok: false, pointer, problem: problemText(problem) };
  }
}

function problemText(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
