import { ScalarType, type DescExtension, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence as Presence } from '@bufbuild/protobuf/wkt';

/** What reading and writing the JSON of a message needs to know of its type, worked out once. */
export interface MessagePlan {
  /** Set for a type whose canonical JSON is not an object of its fields. */
  readonly wellKnown: WellKnown | undefined;
  /** By proto name and by JSON name; the proto name wins where one field's is another's JSON name. */
  readonly fieldNamed: ReadonlyMap<string, DescField>;
  /** Sorted by proto name, in UTF-16 code units. */
  readonly sorted: readonly DescField[];
  /** Fields that a message must have (proto2 `required`). */
  readonly required: readonly DescField[];
}

export type WellKnown =
  | 'Any'
  | 'Timestamp'
  | 'Duration'
  | 'FieldMask'
  | 'Struct'
  | 'Value'
  | 'ListValue'
  | 'wrapper';

const plans = new WeakMap<DescMessage, MessagePlan>();

export function planOf(desc: DescMessage): MessagePlan {
  let plan = plans.get(desc);
  if (plan === undefined) {
    plan = {
      wellKnown: wellKnownOf(desc),
      fieldNamed: new Map([
        ...desc.fields.map((field) => [field.jsonName, field] as const),
        ...desc.fields.map((field) => [field.name, field] as const),
      ]),
      sorted: desc.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      required: desc.fields.filter((field) => field.presence === Presence.LEGACY_REQUIRED),
    };
    plans.set(desc, plan);
  }
  return plan;
}

const wellKnownNames: ReadonlyMap<string, WellKnown> = new Map([
  ...(['Any', 'Timestamp', 'Duration', 'FieldMask', 'Struct', 'Value', 'ListValue'] as const).map(
    (name) => [`google.protobuf.${name}`, name] as const,
  ),
  ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (name) => [`google.protobuf.${name}Value`, 'wrapper'] as const,
  ),
]);

// Their shape needs no check: the files that define them are pinned.
function wellKnownOf(desc: DescMessage): WellKnown | undefined {
  return wellKnownNames.get(desc.typeName);
}

/** True when protobuf-es keeps the field's value as the wrapped scalar instead of the wrapper message. */
export function isUnwrapped(field: DescField | DescExtension): boolean {
  const singular = field.fieldKind === 'message' && field.oneof === undefined;
  return singular && planOf(field.message).wellKnown === 'wrapper';
}

/** True when protobuf-es keeps the field's value, or each of its elements, as a JSON object instead of a `Struct`. */
export function isJsonStruct(field: DescField | DescExtension): boolean {
  if (field.message === undefined || planOf(field.message).wellKnown !== 'Struct') return false;
  return field.parent === undefined || field.parent.typeName !== 'google.protobuf.Value';
}

/** The type of a field as its author would write it: `repeated string`, `map<string, int32>`, `demo.Color`. */
export function fieldTypeText(field: DescField | DescExtension): string {
  if (field.fieldKind === 'map') return `map<${scalarText(field.mapKey)}, ${elementTypeText(field)}>`;
  return field.fieldKind === 'list' ? `repeated ${elementTypeText(field)}` : elementTypeText(field);
}

function elementTypeText(field: DescField | DescExtension): string {
  if (field.scalar !== undefined) return scalarText(field.scalar);
  return (field.message ?? field.enum)?.typeName ?? 'unknown';
}

function scalarText(type: ScalarType): string {
  return ScalarType[type].toLowerCase();
}
