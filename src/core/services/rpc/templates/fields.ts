import type { JsonObject } from '../../../kernel/json.ts';
import { dataFields } from './data.ts';
import { TemplateFailure } from './failure.ts';
import type { Rendering } from './rendering.ts';
import { durationMember, timeMember } from './time-members.ts';
import { timeOfMs } from './times.ts';
import { Duration, Members, Root, Time, describe, excerpt, fromJson, isMap, type Value } from './values.ts';

/**
 * What `.name` of a value is. Only own keys of data count, so nothing of the language that this is written in can be
 * reached. `args` may be given to what is more than data: methods of times, and `faker`.
 */
export function fieldOf(value: Value, name: string, args: readonly Value[], rendering: Rendering): Value {
  if (value instanceof Members) return value.member(name, args);
  if (value instanceof Time) return timeMember(value, name, args);
  if (value instanceof Duration) return durationMember(value, name, args);
  const found = value instanceof Root ? rootField(rendering, name) : mapField(value, name, rendering);
  if (args.length > 0) throw new TemplateFailure(`${name} is not a function but has arguments`);
  return found;
}

function rootField(rendering: Rendering, name: string): Value {
  const field = dataFields.get(name);
  if (field === undefined) throw unknownField(name);
  if (field === 'RequestTime') return timeOfMs(rendering.field('RequestTime'));
  return fromJson(rendering.field(field));
}

function mapField(value: Value, name: string, rendering: Rendering): Value {
  if (!isMap(value)) throw new TemplateFailure(`${describe(value)} has no field ${excerpt(name)}`);
  if (rendering.isHeaders(value)) return headerOf(value, name);
  const key = spellingIn(value, name);
  if (key === undefined) throw unknownField(name);
  return fromJson(value[key]);
}

export function unknownField(name: string): TemplateFailure {
  return new TemplateFailure(`unknown field ${excerpt(name)}`);
}

/** Names of headers in any case; one that did not come is empty. */
export function headerOf(headers: JsonObject, name: string): Value {
  const key = name.toLowerCase();
  return Object.hasOwn(headers, key) ? fromJson(headers[key]) : '';
}

/** The key as it is written, or else the other of a field's two names: `user_id` and `userId`. */
function spellingIn(map: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(map, name)) return name;
  const other = name.includes('_') ? camelCase(name) : snakeCase(name);
  return Object.hasOwn(map, other) ? other : undefined;
}

function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
