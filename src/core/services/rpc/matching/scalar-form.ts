import { ScalarType, type DescMessage } from '@bufbuild/protobuf';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { planOf } from '../protobuf/message-plan.ts';
import {
  durationFromText,
  durationText,
  fieldMaskFromText,
  fieldMaskText,
  timestampFromText,
  timestampText,
  type SecondsAndNanos,
} from '../protobuf/well-known-json.ts';
import { scalarType } from './leaf-type.ts';

/** How a well-known message is written as one scalar in JSON. */
export interface ScalarForm {
  /** Whether `contains` looks for a part of its text. */
  readonly isText: boolean;
  /** For people. */
  readonly takes: string;
  /** The JSON of the fields, for the JSON scalar; undefined when no message of this type is written so. */
  fields(json: Json): JsonObject | undefined;
  /** The text of a decoded message, or of its absence, that patterns are matched against. */
  shown(message: unknown): string;
}

export function scalarFormOf(desc: DescMessage): ScalarForm | undefined {
  const { wellKnown } = planOf(desc);
  switch (wellKnown) {
    case 'Timestamp':
      return timestampForm;
    case 'Duration':
      return durationForm;
    case 'FieldMask':
      return fieldMaskForm;
    case 'wrapper':
      return wrapperForm(desc.fields[0]?.scalar ?? ScalarType.STRING);
    default:
      return undefined;
  }
}

function wrapperForm(scalar: ScalarType): ScalarForm {
  const inner = scalarType(scalar);
  return {
    isText: inner.isString,
    takes: inner.takes,
    fields: (json) => (inner.read(json) === undefined ? undefined : { value: json }),
    shown: (message) => inner.shown((message as { readonly value?: unknown } | undefined)?.value),
  };
}

const timestampForm: ScalarForm = {
  isText: true,
  takes: 'an RFC 3339 time such as "2026-01-01T00:00:00Z"',
  fields: (json) => (typeof json === 'string' ? partsJson(timestampFromText(json)) : undefined),
  shown: (message) => {
    const instant = instantOf(message);
    return timestampText(instant) ?? rawText(instant);
  },
};

const durationForm: ScalarForm = {
  isText: true,
  takes: 'seconds such as "3.5s"',
  fields: (json) => (typeof json === 'string' ? partsJson(durationFromText(json)) : undefined),
  shown: (message) => {
    const duration = instantOf(message);
    return durationText(duration) ?? rawText(duration);
  },
};

const fieldMaskForm: ScalarForm = {
  isText: true,
  takes: 'paths such as "name,homeAddress.city"',
  fields: (json) => (typeof json === 'string' ? { paths: fieldMaskFromText(json) } : undefined),
  shown: (message) => {
    const { paths = [] } = (message ?? {}) as { readonly paths?: readonly string[] };
    return fieldMaskText(paths) ?? paths.join(',');
  },
};

function instantOf(message: unknown): SecondsAndNanos {
  return (message as SecondsAndNanos | undefined) ?? { seconds: 0n, nanos: 0 };
}

function partsJson(parts: SecondsAndNanos | undefined): JsonObject | undefined {
  return parts === undefined ? undefined : { seconds: String(parts.seconds), nanos: parts.nanos };
}

/** Of what is out of range and has no canonical text. */
function rawText({ seconds, nanos }: SecondsAndNanos): string {
  return `${seconds}s ${nanos}ns`;
}
