import { canonicalText, type ListOrder } from './canonical-text.ts';
import type { FieldReader, MessageType } from './value-type.ts';

/** A top-level field that `equals` compares; one object for all stubs that compare it, so that an index can ask once. */
export interface EqualsKey {
  /** The same for the same field, and the same order of its lists: `7`, `7~`; `.name` in a Struct. */
  readonly id: string;
  /** The canonical text of the field in a message. */
  textOf(message: unknown): string;
}

/** That a field has the value with this canonical text. */
export interface EqualsRule {
  readonly key: EqualsKey;
  readonly text: string;
}

export const inOrder: ListOrder = { unordered: false };
export const inAnyOrder: ListOrder = { unordered: true };

const keysByReader = new WeakMap<FieldReader, { ordered: EqualsKey; unordered: EqualsKey }>();

export function equalsKeyOf(reader: FieldReader, { unordered }: ListOrder): EqualsKey {
  let keys = keysByReader.get(reader);
  if (keys === undefined) {
    const ordered = makeKey(reader, String(reader.field.number), inOrder);
    // A leaf has no list in it.
    const isLeaf = reader.type.kind === 'leaf';
    keys = { ordered, unordered: isLeaf ? ordered : makeKey(reader, `${reader.field.number}~`, inAnyOrder) };
    keysByReader.set(reader, keys);
  }
  return unordered ? keys.unordered : keys.ordered;
}

function makeKey({ type, get }: FieldReader, id: string, order: ListOrder): EqualsKey {
  if (type.kind === 'leaf') return { id, textOf: (message) => type.text(get(message)) };
  return { id, textOf: (message) => canonicalText(type, get(message), order) };
}

/** A request that is a Struct is matched by the keys of its JSON. */
export function isStructRequest(type: MessageType): boolean {
  return type.desc.typeName === 'google.protobuf.Struct';
}
