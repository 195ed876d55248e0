import type { Json, JsonObject } from '../../../kernel/json.ts';
import { listFromJson, structFromJson, valueFromJson } from '../protobuf/struct-json.ts';

// `google.protobuf.Struct`, `Value` and `ListValue` as the JSON that they stand for.

/** A Struct in a field: protobuf-es keeps the plain JSON there. */
export function structJson(value: unknown): Json {
  return value === undefined ? {} : (value as JsonObject);
}

/** A Struct as a message: a request of its own, in a Value, or out of an Any. */
export function structMessageJson(value: unknown): Json {
  const { fields = {} } = (value ?? {}) as { readonly fields?: Readonly<Record<string, unknown>> };
  // A null prototype, so that a key named `__proto__` stays a key.
  const json: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const key of Object.keys(fields)) json[key] = valueJson(fields[key]);
  return json;
}

/** A Value that is not set is null. */
export function valueJson(value: unknown): Json {
  const kind = (value as ValueMessage | undefined)?.kind;
  switch (kind?.case) {
    case undefined:
    case 'nullValue':
      return null;
    case 'structValue':
      return structMessageJson(kind.value);
    case 'listValue':
      return listJson(kind.value);
    default:
      return kind?.value as Json;
  }
}

export function listJson(value: unknown): Json {
  return ((value as ListMessage | undefined)?.values ?? []).map(valueJson);
}

interface ValueMessage {
  readonly kind: { readonly case: string | undefined; readonly value?: unknown };
}

interface ListMessage {
  readonly values: readonly unknown[];
}

/**
 * The JSON that a rule for such a value means, which may be written in the raw field form, too; undefined when it is of
 * another shape.
 */
export function plainDynamic(dynamic: 'struct' | 'value' | 'list', json: Json): Json | undefined {
  if (dynamic === 'struct') return json === null ? {} : structFromJson(json);
  if (dynamic === 'list') return json === null ? [] : listFromJson(json);
  return valueFromJson(json);
}
