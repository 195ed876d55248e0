import {
  ScalarType,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf';
import { reflect, type ReflectList, type ReflectMap, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import { anyUnpack, type Any } from '@bufbuild/protobuf/wkt';
import { toJson } from '@bufbuild/protobuf';
import type { Json, JsonObject } from '../../../../../src/core/kernel/json.ts';
import { unreachable } from '../../../../../src/core/kernel/unreachable.ts';
import type { InputMatcher, InputRules } from '../../../../../src/core/services/rpc/stub.ts';

// A slow matcher that follows the rules word by word, on protobuf-es's reflection. It shares no code with the one it
// judges, and only knows what the arbitrary matchers use.

/** A value of the message with what is known of its type. */
type Node =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType; readonly value: unknown }
  | { readonly kind: 'enum'; readonly field: DescField; readonly value: number }
  | { readonly kind: 'message'; readonly message: ReflectMessage }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, Node> }
  | { readonly kind: 'json'; readonly json: Json };

type Mode = 'equals' | 'contains' | 'matches' | 'glob';

export function referenceMatches(
  matcher: InputMatcher,
  desc: DescMessage,
  message: Message,
  registry: Registry,
): boolean {
  const root = reflect(desc, message);
  const items = matcher.anyOf ?? undefined;
  const inherited = matcher.ignoreArrayOrder ?? false;
  return (
    rulesHold(matcher, root, inherited, registry) &&
    (items === undefined ||
      items.some((item) => rulesHold(item, root, item.ignoreArrayOrder ?? inherited, registry)))
  );
}

function rulesHold(rules: InputRules, root: ReflectMessage, unordered: boolean, registry: Registry): boolean {
  const judge = new Judge(unordered, registry);
  return (['equals', 'contains', 'matches', 'glob'] as const).every((mode) =>
    Object.entries(rules[mode] ?? {}).every(([name, json]) => judge.field(mode, root, name, json)),
  );
}

class Judge {
  readonly unordered: boolean;
  readonly registry: Registry;

  constructor(unordered: boolean, registry: Registry) {
    this.unordered = unordered;
    this.registry = registry;
  }

  field(mode: Mode, message: ReflectMessage, name: string, json: Json): boolean {
    const field = fieldNamed(message, name);
    if (field === undefined) return json === null;
    return this.holds(mode, nodeOf(message, field), json);
  }

  holds(mode: Mode, node: Node, json: Json): boolean {
    if (json === null && node.kind !== 'json')
      return mode === 'matches' || mode === 'glob' || this.isDefault(node);
    switch (node.kind) {
      case 'scalar':
      case 'enum':
        return this.leaf(mode, node, json);
      case 'message':
        return this.message(mode, node.message, json);
      case 'list':
        return (
          Array.isArray(json) &&
          this.list(mode, json as readonly Json[], node.items, (item, each) => this.holds(mode, item, each))
        );
      case 'map':
        return this.map(mode, node.entries, json);
      case 'json':
        return this.json(mode, node.json, json);
      default:
        return unreachable(node);
    }
  }

  leaf(mode: Mode, node: Node & { kind: 'scalar' | 'enum' }, json: Json): boolean {
    if (mode === 'equals') return sameLeaf(node, json);
    const text = leafText(node);
    if (mode !== 'contains') return typeof json !== 'object' && textMatches(mode, text, String(json));
    const isString = node.kind === 'scalar' && node.scalar === ScalarType.STRING;
    return isString ? typeof json === 'string' && text.includes(json) : sameLeaf(node, json);
  }

  message(mode: Mode, message: ReflectMessage, json: Json): boolean {
    const { typeName } = message.desc;
    if (typeName === 'google.protobuf.Any') return this.any(mode, message, json);
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return this.scalarForm(mode, message, json);
    const object = json as JsonObject;
    const named = Object.keys(object).map((name) => fieldNamed(message, name));
    const unnamed = message.fields.filter((field) => !named.includes(field));
    return (
      Object.entries(object).every(([name, each]) => this.field(mode, message, name, each)) &&
      (mode !== 'equals' || unnamed.every((field) => this.isDefault(nodeOf(message, field))))
    );
  }

  /** Timestamp, Duration, FieldMask and the wrappers. */
  scalarForm(mode: Mode, message: ReflectMessage, json: Json): boolean {
    if (Array.isArray(json) || typeof json === 'object') return false;
    const wrapped = message.desc.typeName.endsWith('Value') ? fieldNamed(message, 'value') : undefined;
    if (wrapped !== undefined) return this.holds(mode, nodeOf(message, wrapped), json);
    const text = canonicalText(message);
    if (text === undefined) return false;
    if (mode === 'matches' || mode === 'glob') return textMatches(mode, text, String(json));
    if (typeof json !== 'string') return false;
    const isSame = instantOf(message.desc.typeName, json) === instantOf(message.desc.typeName, text);
    return isSame || (mode === 'contains' && text.includes(json));
  }

  any(mode: Mode, message: ReflectMessage, json: Json): boolean {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
    const { '@type': url, ...rest } = json as JsonObject;
    const any = message.message as Any;
    const inner = anyUnpack(any, this.registry);
    if (mode === 'equals') {
      if (inner === undefined) return false;
      if (textOf(url).split('/').at(-1) !== any.typeUrl.split('/').at(-1)) return false;
    } else if (url !== undefined) {
      if (
        mode === 'contains'
          ? !any.typeUrl.includes(textOf(url))
          : !textMatches(mode, any.typeUrl, textOf(url))
      )
        return false;
    }
    if (mode !== 'equals' && Object.keys(rest).length === 0) return true;
    if (inner === undefined) return false;
    const desc = this.registry.getMessage(inner.$typeName);
    if (desc === undefined) return false;
    const isBare = desc.typeName.startsWith('google.protobuf.') && rest['value'] !== undefined;
    return this.message(mode, reflect(desc, inner), isBare ? (rest['value'] ?? null) : rest);
  }

  map(mode: Mode, entries: ReadonlyMap<string, Node>, json: Json): boolean {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
    const rules = Object.entries(json as JsonObject);
    if (mode === 'equals' && rules.length !== entries.size) return false;
    return rules.every(([key, each]) => {
      const node = entries.get(key);
      return node !== undefined && this.holds(mode, node, each);
    });
  }

  json(mode: Mode, actual: Json, rule: Json): boolean {
    if (Array.isArray(rule)) {
      return (
        Array.isArray(actual) &&
        this.list(mode, rule as readonly Json[], actual as readonly Json[], (item, each) =>
          this.json(mode, item, each),
        )
      );
    }
    if (typeof rule === 'object' && rule !== null) {
      if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
      const object = actual as JsonObject;
      if (mode === 'equals' && Object.keys(rule).length !== Object.keys(object).length) return false;
      return Object.entries(rule).every(([key, each]) => {
        if (Object.hasOwn(object, key)) return this.json(mode, object[key] ?? null, each);
        return each === null && mode !== 'equals';
      });
    }
    if (mode === 'matches' || mode === 'glob') {
      if (rule === null) return true;
      return typeof actual !== 'object' && textMatches(mode, String(actual), String(rule));
    }
    if (mode === 'contains' && typeof rule === 'string')
      return typeof actual === 'string' && actual.includes(rule);
    return actual === rule;
  }

  list<Item>(
    mode: Mode,
    rules: readonly Json[],
    items: readonly Item[],
    holds: (item: Item, rule: Json) => boolean,
  ): boolean {
    if (mode !== 'contains' && rules.length !== items.length) return false;
    const orders = this.unordered ? choices(items, rules.length) : inOrder(items, rules.length);
    return orders.some((chosen) => rules.every((rule, index) => holds(chosen[index] as Item, rule)));
  }

  isDefault(node: Node): boolean {
    switch (node.kind) {
      case 'scalar':
        return node.value instanceof Uint8Array
          ? node.value.length === 0
          : node.value === '' || node.value === false || Number(node.value) === 0;
      case 'enum':
        return node.value === 0;
      case 'message':
        return node.message.fields.every(
          (field) => !node.message.isSet(field) || this.isDefault(nodeOf(node.message, field)),
        );
      case 'list':
        return node.items.length === 0;
      case 'map':
        return node.entries.size === 0;
      case 'json':
        return node.json === null;
      default:
        return unreachable(node);
    }
  }
}

/** Every way to choose `count` of the items, in every order. */
function choices<Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] {
  if (count === 0) return [[]];
  return items.flatMap((item, index) =>
    choices(items.toSpliced(index, 1), count - 1).map((rest) => [item, ...rest]),
  );
}

/** Every way to choose `count` of the items, in their order. */
function inOrder<Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] {
  if (count === 0) return [[]];
  return items.flatMap((item, index) =>
    inOrder(items.slice(index + 1), count - 1).map((rest) => [item, ...rest]),
  );
}

function fieldNamed(message: ReflectMessage, name: string): DescField | undefined {
  return (
    message.fields.find((field) => field.name === name) ??
    message.fields.find((field) => field.jsonName === name)
  );
}

function nodeOf(message: ReflectMessage, field: DescField): Node {
  const value: unknown = message.get(field);
  if (field.fieldKind === 'list') {
    return { kind: 'list', items: [...(value as ReflectList)].map((item) => elementOf(field, item)) };
  }
  if (field.fieldKind === 'map') {
    const entries = [...(value as ReflectMap)].map(
      ([key, item]) => [String(key), elementOf(field, item)] as const,
    );
    return { kind: 'map', entries: new Map(entries) };
  }
  return elementOf(field, value);
}

function elementOf(field: DescField, value: unknown): Node {
  if (field.message !== undefined) {
    const message = value as ReflectMessage;
    if (
      ['Struct', 'Value', 'ListValue'].some((name) => message.desc.typeName === `google.protobuf.${name}`)
    ) {
      return { kind: 'json', json: dynamicJson(message) };
    }
    return { kind: 'message', message };
  }
  if (field.enum !== undefined) return { kind: 'enum', field, value: value as number };
  return { kind: 'scalar', scalar: field.scalar as ScalarType, value };
}

function dynamicJson(message: ReflectMessage): Json {
  const isUnsetValue =
    message.desc.typeName === 'google.protobuf.Value' &&
    message.oneofs.every((group) => message.oneofCase(group) === undefined);
  return isUnsetValue ? null : (toJson(message.desc, message.message) as Json);
}

function sameLeaf(node: Node & { kind: 'scalar' | 'enum' }, json: Json): boolean {
  if (node.kind === 'enum') {
    const named = node.field.enum?.values.find((value) => value.name === json)?.number;
    return (named ?? json) === node.value;
  }
  const { scalar, value } = node;
  switch (scalar) {
    case ScalarType.STRING:
      return json === value;
    case ScalarType.BOOL:
      return json === value;
    case ScalarType.BYTES:
      return (
        typeof json === 'string' && isBase64(json) && Buffer.from(json, 'base64').equals(value as Uint8Array)
      );
    case ScalarType.DOUBLE:
      return isNumeric(json) && sameNumber(Number(json), value as number);
    case ScalarType.FLOAT:
      return isNumeric(json) && sameNumber(Math.fround(Number(json)), value as number);
    default:
      return isNumeric(json) && /^-?\d+$/.test(String(json)) && BigInt(json) === BigInt(textOf(value));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : `${value as number}`;
}

function isBase64(text: string): boolean {
  const digits = text.replace(/=+$/, '');
  return /^[\w+/-]*$/.test(digits) && digits.length % 4 !== 1 && !digits.includes('=');
}

function isNumeric(json: Json): json is string | number {
  return (
    typeof json === 'number' ||
    (typeof json === 'string' && json !== '' && (json === 'NaN' || !Number.isNaN(Number(json))))
  );
}

function sameNumber(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function leafText(node: Node & { kind: 'scalar' | 'enum' }): string {
  if (node.kind === 'enum') return node.field.enum?.value[node.value]?.name ?? String(node.value);
  if (node.value instanceof Uint8Array) return Buffer.from(node.value).toString('base64');
  if (node.scalar === ScalarType.FLOAT) return floatText(node.value as number);
  return String(node.value);
}

/** The shortest text of all numbers near it that give the same float. */
function floatText(value: number): string {
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}

function canonicalText(message: ReflectMessage): string | undefined {
  const { typeName } = message.desc;
  const names = ['google.protobuf.Timestamp', 'google.protobuf.Duration', 'google.protobuf.FieldMask'];
  return names.includes(typeName) ? textOf(toJson(message.desc, message.message)) : undefined;
}

/** Texts of the same instant, duration or paths give the same. */
function instantOf(typeName: string, text: string): string {
  if (typeName.endsWith('Timestamp')) return `at ${Date.parse(text)}`;
  if (typeName.endsWith('Duration'))
    return /^-?[\d.]+s$/.test(text) ? `for ${Number.parseFloat(text)}` : text;
  return text;
}

function textMatches(mode: 'matches' | 'glob', text: string, pattern: string): boolean {
  return mode === 'matches' ? new RegExp(pattern, 'u').test(text) : globMatches(pattern, text);
}

/** By trying everything that the first part of the glob can stand for. */
export function globMatches(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob.startsWith('**/')) {
    const starts = [
      0,
      ...text.split('').flatMap((character, index) => (character === '/' ? [index + 1] : [])),
    ];
    return starts.some((start) => globMatches(glob.slice(3), text.slice(start)));
  }
  if (glob.startsWith('**'))
    return lengths(text).some((length) => globMatches(glob.slice(2), text.slice(length)));
  if (glob.startsWith('*')) {
    return lengths(text).some(
      (length) => !text.slice(0, length).includes('/') && globMatches(glob.slice(1), text.slice(length)),
    );
  }
  const braces = /^\{([^{}]*)\}(.*)$/s.exec(glob);
  if (braces !== null) {
    const [, alternatives = '', rest = ''] = braces;
    return alternatives.split(',').some((each) => globMatches(each + rest, text));
  }
  if (text === '') return false;
  const set = /^\[([!^]?)([^\]]+)\](.*)$/s.exec(glob);
  if (set !== null) {
    const [, negated = '', characters = '', rest = ''] = set;
    const [first = ''] = text;
    return (
      first !== '/' && characters.includes(first) === (negated === '') && globMatches(rest, text.slice(1))
    );
  }
  if (glob.startsWith('?')) return !text.startsWith('/') && globMatches(glob.slice(1), text.slice(1));
  const escaped = glob.startsWith('\\') ? 1 : 0;
  return text[0] === glob[escaped] && globMatches(glob.slice(escaped + 1), text.slice(1));
}

function lengths(text: string): readonly number[] {
  return Array.from({ length: text.length + 1 }, (_, index) => index);
}
