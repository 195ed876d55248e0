import type { JsonObject } from '../../../kernel/json.ts';
import { dataFields, type TemplateData } from './data.ts';
import { TemplateFailure } from './failure.ts';
import { durationMember, timeMember } from './time-members.ts';
import { timeOfMs } from './times.ts';
import { Duration, Members, Root, Time, describe, excerpt, fromJson, isMap, type Value } from './values.ts';

/**
 * What `.name` of a value is. Only own keys of data count, so nothing of the language that this is written in can be
 * reached. `args` may be given to what is more than data: methods of times, and `faker`.
 */
export function fieldOf(value: Value, name: string, args: readonly Value[], data: TemplateData): Value {
  if (value instanceof Members) return value.member(name, args);
  if (value instanceof Time) return timeMember(value, name, args);
  if (value instanceof Duration) return durationMember(value, name, args);
  const found = value instanceof Root ? rootField(data, name) : mapField(value, name, data);
  if (args.length > 0) throw new TemplateFailure(`${name} is not a function but has arguments`);
  return found;
}

function rootField(data: TemplateData, name: string): Value {
  const field = dataFields.get(name);
  if (field === undefined) throw unknownField(name);
  if (field === 'RequestTime') return timeOfMs(data.RequestTime);
  return fromJson(data[field]);
}

function mapField(value: Value, name: string, data: TemplateData): Value {
  if (!isMap(value)) throw new TemplateFailure(`${describe(value)} has no field ${excerpt(name)}`);
  if (value === data.Headers) return headerOf(data, name);
  const key = spellingIn(value, name);
  if (key === undefined) throw unknownField(name);
  return fromJson(value[key]);
}

export function unknownField(name: string): TemplateFailure {
  return new TemplateFailure(`unknown field ${excerpt(name)}`);
}

/** Names of headers in any case; one that did not come is empty. */
export function headerOf(data: TemplateData, name: string): string {
  const key = name.toLowerCase();
  return Object.hasOwn(data.Headers, key) ? (data.Headers[key] ?? '') : '';
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
