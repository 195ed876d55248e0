import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  visit,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { Json } from '../../core/kernel/json.ts';
import { isExact } from '../../core/kernel/json-text.ts';
import { setOwn } from '../../core/kernel/own-property.ts';
import { levelsMax } from './stub-text.ts';

/**
 * How much the values of one document may come to when its aliases are unfolded: characters of texts and keys, and one for
 * every value. An alias bomb of nine lines comes to thousands of millions.
 */
export const yamlUnfoldedMax = 64 * 1024 * 1024;

/** What a YAML document holds beyond what stubs can; `offset` is in UTF-16 code units. */
export class YamlProblem extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** A value with how much it comes to, unfolded. */
interface Weighed {
  readonly value: Json;
  readonly weight: number;
}

/**
 * The JSON value of a document. An alias gives the value of its anchor (the same object); `<<` merges; an integer that a
 * JavaScript number cannot hold exactly is its decimal text. Throws a `YamlProblem`.
 */
export function jsonOfYaml(contents: ParsedNode | null): Json {
  const anchors = new Map<string, Weighed>();
  return convert(contents, 0).value;

  function convert(node: ParsedNode | null, level: number): Weighed {
    if (node === null) return { value: null, weight: 1 };
    if (isAlias(node)) return ofAnchor(node.source, offsetOf(node));
    const weighed = isMap(node)
      ? ofMap(node, level)
      : isSeq(node)
        ? ofList(node.items, node, level)
        : ofScalar(node);
    if (weighed.weight > yamlUnfoldedMax) {
      throw new YamlProblem(offsetOf(node), 'the aliases unfold to more than a file of stubs may hold');
    }
    // Only now, so that a value cannot hold itself.
    if (node.anchor !== undefined) anchors.set(node.anchor, weighed);
    return weighed;
  }

  function ofAnchor(name: string, offset: number): Weighed {
    const weighed = anchors.get(name);
    if (weighed !== undefined) return weighed;
    throw new YamlProblem(offset, `the alias *${name} has no anchor &${name} before it`);
  }

  function ofList(items: readonly unknown[], node: ParsedNode, level: number): Weighed {
    checkLevel(node, level);
    let weight = 1;
    const value = items.map((item) => {
      const converted = convert((item ?? null) as ParsedNode | null, level + 1);
      weight += converted.weight;
      return converted.value;
    });
    return { value, weight };
  }

  function ofMap(node: YAMLMap.Parsed, level: number): Weighed {
    checkLevel(node, level);
    const object: Record<string, Json> = {};
    const merged: Weighed[] = [];
    let weight = 1;
    for (const { key, value } of node.items) {
      const name = keyOf(key);
      const converted = convert(value, level + 1);
      weight += converted.weight + name.length;
      if (isMergeKey(key)) merged.push(converted);
      else if (Object.hasOwn(object, name))
        throw new YamlProblem(offsetOf(key), `the key ${JSON.stringify(name)} is there twice`);
      else setOwn(object, name, converted.value);
    }
    for (const { value } of merged) merge(object, value, node);
    return { value: object, weight };
  }
}

/** Fills in what `object` does not have. */
function merge(object: Record<string, Json>, value: Json, node: ParsedNode): void {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) merge(object, item, node);
  else if (typeof value !== 'object' || value === null) {
    throw new YamlProblem(offsetOf(node), 'the key "<<" must have a map, or a list of maps, to merge');
  } else {
    for (const [name, member] of Object.entries(value))
      if (!Object.hasOwn(object, name)) setOwn(object, name, member);
  }
}

function ofScalar(node: Scalar.Parsed): Weighed {
  const { value, source } = node;
  if (typeof value === 'string') return { value, weight: 1 + value.length };
  if (typeof value === 'number') return { value: exactNumber(value, source), weight: 1 };
  return { value: typeof value === 'boolean' ? value : null, weight: 1 };
}

function exactNumber(value: number, source: string): Json {
  if (
    !Number.isInteger(value) ||
    Number.isSafeInteger(value) ||
    !/^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source)
  ) {
    return value;
  }
  const exact = BigInt(source.replace(/^[-+]/, '')) * (source.startsWith('-') ? -1n : 1n);
  return isExact(value, exact.toString()) ? value : exact.toString();
}

function keyOf(key: unknown): string {
  return isScalar(key) && typeof key.value === 'string' ? key.value : '';
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

function checkLevel(node: ParsedNode, level: number): void {
  if (level >= levelsMax) throw new YamlProblem(offsetOf(node), `nests deeper than ${levelsMax} levels`);
}

function offsetOf(
  node: { readonly range?: readonly [number, number, number] | null | undefined } | null,
): number {
  return node?.range?.[0] ?? 0;
}

/** The node that keys and indices lead to from `from`, or the nearest that there is on the way. Of a member, its key. */
export function nodeBelow(
  document: Document.Parsed,
  from: ParsedNode | null,
  segments: readonly string[],
): ParsedNode | null {
  let found = from;
  let node = from;
  for (const segment of segments) {
    node = anchored(document, node);
    const pair = isMap(node) ? node.items.find(({ key }) => keyOf(key) === segment) : undefined;
    const item = isSeq(node) ? node.items[Number(segment)] : undefined;
    if (pair === undefined && item === undefined) return found;
    node = pair?.value ?? item ?? null;
    found = pair?.key ?? item ?? found;
  }
  return found;
}

function anchored(document: Document.Parsed, node: ParsedNode | null): ParsedNode | null {
  if (!isAlias(node)) return node;
  let target: ParsedNode | null = null;
  visit(document, {
    Node(_, candidate) {
      if (candidate === node) return visit.BREAK;
      if (!isAlias(candidate) && candidate.anchor === node.source) target = candidate as ParsedNode;
      return undefined;
    },
  });
  return target;
}
