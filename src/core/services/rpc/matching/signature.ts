import type { Message } from '@bufbuild/protobuf';
import { part } from './canonical-text.ts';
import type { CompiledStub, Requirement } from './compiled-stub.ts';
import type { EqualsKey } from './equals-key.ts';
import type { HeaderTexts } from './header-matcher.ts';

/**
 * Which fields and headers a stub needs to have certain values. Stubs with the same signature stand in one table, by
 * those values; a call looks its own values up there, once per signature, however many stubs there are.
 */
export interface Signature {
  readonly id: string;
  readonly shape: CompiledStub['shape'];
  /** Sorted by id. */
  readonly keys: readonly EqualsKey[];
  /** Sorted names, in lower case. */
  readonly headers: readonly string[];
}

/** A requirement as a signature, and the place of its values in the signature's table. */
export interface Placed {
  readonly signature: Signature;
  readonly values: string;
}

export function placeOf(shape: CompiledStub['shape'], { equals, headers }: Requirement): Placed {
  const [rule] = equals;
  if (rule !== undefined && equals.length === 1 && headers.length === 0) {
    return { signature: ofOneKey(shape, rule.key), values: rule.text };
  }
  const rules = equals.length < 2 ? equals : equals.toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1));
  const named = headers.length < 2 ? headers : headers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const keys = rules.map(({ key }) => key);
  const names = named.map(({ name }) => name);
  return {
    signature: { id: signatureId(shape, keys, names), shape, keys, headers: names },
    values: joined(rules.map(({ text }) => text).concat(named.map(({ text }) => text))),
  };
}

function signatureId(
  shape: CompiledStub['shape'],
  keys: readonly EqualsKey[],
  headers: readonly string[],
): string {
  return [shape, ...keys.map((key) => key.id), ...headers.map((name) => `:${name}`)].map(part).join('');
}

const signaturesOfOneKey = {
  any: new WeakMap<EqualsKey, Signature>(),
  input: new WeakMap<EqualsKey, Signature>(),
  script: new WeakMap<EqualsKey, Signature>(),
};

/** By far the most frequent. */
function ofOneKey(shape: CompiledStub['shape'], key: EqualsKey): Signature {
  const known = signaturesOfOneKey[shape];
  let signature = known.get(key);
  if (signature === undefined) {
    signature = { id: signatureId(shape, [key], []), shape, keys: [key], headers: [] };
    known.set(key, signature);
  }
  return signature;
}

/** Where a call finds the stubs of this signature that it may match; undefined when a header is missing. */
export function valuesIn(
  { keys, headers }: Signature,
  message: Message | undefined,
  texts: HeaderTexts,
): string | undefined {
  const [key] = keys;
  if (key !== undefined && keys.length === 1 && headers.length === 0) return key.textOf(message);
  const values = keys.map((each) => each.textOf(message));
  for (const name of headers) {
    const text = texts.text(name);
    if (text === undefined) return undefined;
    values.push(text);
  }
  return joined(values);
}

function joined(values: readonly string[]): string {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : values.map(part).join('');
}
