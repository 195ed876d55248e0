import { isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import type { CompiledStub } from './compiled-stub.ts';
import type { LeafType } from './leaf-type.ts';
import { foldedText } from './nearness.ts';
import type { FieldReader, MessageType } from './value-type.ts';

/**
 * A scalar that `equals` compares, at the top or inside messages: `2`, `4.1`. Its value in the index is folded, so that
 * the stub for "Ann" is found for "ann ", too.
 */
export interface LeafKey {
  readonly id: string;
  readonly path: readonly FieldReader[];
  foldedIn(message: unknown): string | undefined;
}

/** Leaves of one stub that are indexed; and how deep they may stand. */
export const leavesIndexedMax = 8;
export const leafLevelsMax = 4;

export interface IndexedLeaf {
  readonly key: LeafKey;
  readonly value: string;
}

/** Of the message that a singular `input` matches, or the first of a script. */
export function leavesOf({ inputs }: CompiledStub): readonly IndexedLeaf[] {
  const [first] = inputs;
  const leaves: IndexedLeaf[] = [];
  const rules = first?.matcher.equals;
  if (first !== undefined && rules !== undefined && rules !== null) {
    addLeaves(leaves, first.type, first.type, [], rules);
  }
  return leaves;
}

function addLeaves(
  leaves: IndexedLeaf[],
  root: MessageType,
  type: MessageType,
  path: readonly FieldReader[],
  rules: JsonObject,
): void {
  for (const name of Object.keys(rules)) {
    const reader = type.names.get(name);
    const json = rules[name] ?? null;
    if (reader === undefined || leaves.length === leavesIndexedMax) continue;
    if (reader.type.kind === 'leaf') {
      const text = json === null ? reader.type.zero : reader.type.read(json);
      const value = text === undefined ? undefined : foldedText(text);
      if (value !== undefined) leaves.push({ key: leafKeyOf(root, path, reader, reader.type), value });
    } else if (reader.type.kind === 'message' && isJsonObject(json) && path.length < leafLevelsMax) {
      addLeaves(leaves, root, reader.type, [...path, reader], json);
    }
  }
}

const keysByRoot = new WeakMap<MessageType, Map<string, LeafKey>>();

function leafKeyOf(
  root: MessageType,
  path: readonly FieldReader[],
  last: FieldReader,
  type: LeafType,
): LeafKey {
  const id = [...path, last].map(({ field }) => field.number).join('.');
  let keys = keysByRoot.get(root);
  if (keys === undefined) {
    keys = new Map();
    keysByRoot.set(root, keys);
  }
  let key = keys.get(id);
  if (key === undefined) {
    key = makeKey(id, [...path, last], type);
    keys.set(id, key);
  }
  return key;
}

function makeKey(id: string, path: readonly FieldReader[], type: LeafType): LeafKey {
  return {
    id,
    path,
    foldedIn: (message) => foldedText(type.text(path.reduce((inner, reader) => reader.get(inner), message))),
  };
}
