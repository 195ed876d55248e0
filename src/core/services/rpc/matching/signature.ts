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
  const rules = equals.length < 2 ? equals : equals.toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1));
  const named = headers.length < 2 ? headers : headers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const keys = rules.map(({ key }) => key);
  const names = named.map(({ name }) => name);
  const id = [shape, ...keys.map((key) => key.id), ...names.map((name) => `:${name}`)].map(part).join('');
  return {
    signature: { id, shape, keys, headers: names },
    values: joined(rules.map(({ text }) => text).concat(named.map(({ text }) => text))),
  };
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
