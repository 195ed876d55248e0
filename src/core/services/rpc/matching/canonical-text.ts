import type { Json } from '../../../kernel/json.ts';
import { unreachable } from '../../../kernel/unreachable.ts';
import type { MessageType, OpenedAny, ValueType } from './value-type.ts';

/** Whether lists are compared as lists or, at every depth, as multisets. */
export interface ListOrder {
  readonly unordered: boolean;
}

/**
 * One text for equal values of one type, and another for any other: an unset field is its default, defaults inside a
 * message are left out, floats are of their width. So an index can look values up.
 *
 * Parts are written with their length before them, so that no two values share a text.
 */
export function canonicalText(type: ValueType, value: unknown, order: ListOrder): string {
  switch (type.kind) {
    case 'leaf':
      return type.text(value);
    case 'message':
      return messageText(type, value, order);
    case 'list':
      return listText(
        ((value ?? []) as readonly unknown[]).map((item) => canonicalText(type.item, item, order)),
        order,
      );
    case 'map':
      return recordText((value ?? {}) as Readonly<Record<string, unknown>>, (item) =>
        canonicalText(type.item, item, order),
      );
    case 'dynamic':
      return dynamicText(type.json(value), order);
    case 'any':
      return anyText(type.open(value), order);
    default:
      return unreachable(type);
  }
}

/** What a field has that holds its default. */
export function defaultText(type: ValueType, order: ListOrder): string {
  return type.kind === 'leaf' ? type.zero : canonicalText(type, undefined, order);
}

export function messageText(type: MessageType, message: unknown, order: ListOrder): string {
  if (message === undefined) return '';
  let text = '';
  for (const reader of type.fields) {
    const value = reader.get(message);
    if (value === undefined) continue;
    const fieldText = canonicalText(reader.type, value, order);
    if (fieldText !== defaultText(reader.type, order)) text += fieldPart(reader.field.number, fieldText);
  }
  return text;
}

export function fieldPart(number: number, text: string): string {
  return `${number}=${part(text)}`;
}

export function part(text: string): string {
  return `${text.length}:${text}`;
}

export function listText(items: readonly string[], { unordered }: ListOrder): string {
  return (unordered ? items.toSorted() : items).map(part).join('');
}

/** Of an own key each: keys are data, and `__proto__` is one of them. */
export function recordText<Item>(
  record: Readonly<Record<string, Item>>,
  textOf: (item: Item) => string,
): string {
  const entries = Object.entries(record).map(([key, item]) => part(key) + part(textOf(item)));
  return entries.sort().join('');
}

export function dynamicText(json: Json, order: ListOrder): string {
  switch (typeof json) {
    case 'string':
      return `s${json}`;
    case 'number':
      return `d${String(json)}`;
    case 'boolean':
      return json ? 'true' : 'false';
    default:
      if (json === null) return 'null';
      if (Array.isArray(json))
        return `[${listText(
          json.map((item: Json) => dynamicText(item, order)),
          order,
        )}`;
      return `{${recordText(json as Readonly<Record<string, Json>>, (item) => dynamicText(item, order))}`;
  }
}

/** By the name of its type, wherever the type URL says that it is described; by its bytes if the type is unknown. */
export function anyText({ typeName, bytes, type, message }: OpenedAny, order: ListOrder): string {
  if (type === undefined)
    return bytes.length === 0 && typeName === '' ? '' : `${part(typeName)}b${bytes.join()}`;
  return `${part(typeName)}m${canonicalText(type, message, order)}`;
}
