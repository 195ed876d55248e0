import { noBytes } from './bytes.ts';
import { digestHex, sha256, type Sha256 } from './digest.ts';
import type { Entry, Item } from './entry.ts';

// How an entry stands in a log:
//
//   input      {"kind":"CallOpened", …, "bytes":[0,11]}              offset and length in `payload`
//   outcomes   [{"kind":"MessageSent", …, "bytes":"9f86d081…"}]      SHA-256 of a payload that is kept elsewhere, once
//   payload    the small payloads, one after the other
//
// The texts are what `JSON.stringify` writes. It escapes lone surrogates, so they are always valid UTF-8.

/** A payload of this many bytes or more is kept once, by its digest, and not in the entry's row. */
export const payloadInlineBytesMax = 4096;

/** What one row of a log holds. */
export interface EntryRow {
  readonly seq: number;
  readonly at: number;
  readonly input: string;
  readonly outcomes: string;
  /** Absent when no small payload has a byte. */
  readonly payload: Uint8Array | undefined;
}

export interface EncodedEntry extends EntryRow {
  readonly large: readonly LargePayload[];
}

export interface LargePayload {
  /** Lower-case hex of the SHA-256 of `bytes`. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** Throws what tells the reader that the payload is missing or damaged. */
export type LoadLarge = (digest: string) => Uint8Array;

/** The bytes of `entry` must not change afterwards: they are kept, not copied. */
export function encodeEntry(entry: Entry, hash: Sha256 = sha256): EncodedEntry {
  const payloads = new Payloads(hash);
  const input = JSON.stringify(withReference(entry.input, payloads));
  const outcomes = JSON.stringify(entry.outcomes.map((outcome) => withReference(outcome, payloads)));
  return { seq: entry.seq, at: entry.at, input, outcomes, payload: payloads.inline(), large: payloads.large };
}

/**
 * The entry that was encoded. `input` and `outcomes` are read on first access, which throws an `EntryDamaged` when they
 * cannot be; so whoever folds does not pay for the inputs. Type parameters are the caller's promise of what wrote the log.
 */
export function decodeEntry<Input extends Item = Item, Outcome extends Item = Item>(
  row: EntryRow,
  loadLarge: LoadLarge,
): Entry<Input, Outcome> {
  return new DecodedEntry<Input, Outcome>(row, loadLarge);
}

/** The same entry as a plain object, read whole. */
export function plainEntry<Input extends Item, Outcome extends Item>(
  entry: Entry<Input, Outcome>,
): Entry<Input, Outcome> {
  return { seq: entry.seq, at: entry.at, input: entry.input, outcomes: entry.outcomes };
}

/** What stands in a row is not an entry. */
export class EntryDamaged extends Error {
  override readonly name = 'EntryDamaged';
  readonly seq: number;
  constructor(seq: number, reason: string, options?: { readonly cause?: unknown }) {
    super(`entry ${seq}: ${reason}`, options);
    this.seq = seq;
  }
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────

type Reference = readonly [offset: number, length: number] | string;

const digests = new WeakMap<Uint8Array, string>();

class Payloads {
  readonly large: LargePayload[] = [];
  readonly #hash: Sha256;
  #first: Uint8Array | undefined;
  #more: Uint8Array[] | undefined;
  #length = 0;

  constructor(hash: Sha256) {
    this.#hash = hash;
  }

  add(bytes: Uint8Array): Reference {
    return bytes.length < payloadInlineBytesMax ? this.#addSmall(bytes) : this.#addLarge(bytes);
  }

  /** Nearly always there is one payload or two; one needs no copy. */
  inline(): Uint8Array | undefined {
    if (this.#more === undefined) return this.#length === 0 ? undefined : this.#first;
    const all = new Uint8Array(this.#length);
    let offset = 0;
    for (const bytes of [this.#first ?? noBytes, ...this.#more]) {
      all.set(bytes, offset);
      offset += bytes.length;
    }
    return all;
  }

  #addSmall(bytes: Uint8Array): Reference {
    const offset = this.#length;
    this.#length += bytes.length;
    if (bytes.length === 0) return [offset, 0];
    if (this.#first === undefined) this.#first = bytes;
    else (this.#more ??= []).push(bytes);
    return [offset, bytes.length];
  }

  #addLarge(bytes: Uint8Array): Reference {
    const digest = this.#digestOf(bytes);
    if (!this.large.some((known) => known.digest === digest)) this.large.push({ digest, bytes });
    return digest;
  }

  // A static answer is one array for all its calls: it is hashed once.
  #digestOf(bytes: Uint8Array): string {
    const known = digests.get(bytes);
    if (known !== undefined) return known;
    const digest = digestHex(bytes, this.#hash);
    digests.set(bytes, digest);
    return digest;
  }
}

function withReference(item: Item, payloads: Payloads): object {
  return item.bytes === undefined ? item : { ...item, bytes: payloads.add(item.bytes) };
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────

class DecodedEntry<Input extends Item, Outcome extends Item> implements Entry<Input, Outcome> {
  readonly seq: number;
  readonly at: number;
  readonly #row: EntryRow;
  readonly #loadLarge: LoadLarge;
  #input: Input | undefined;
  #outcomes: readonly Outcome[] | undefined;

  constructor(row: EntryRow, loadLarge: LoadLarge) {
    this.seq = row.seq;
    this.at = row.at;
    this.#row = row;
    this.#loadLarge = loadLarge;
  }

  get input(): Input {
    // The type is the promise that the caller of `decodeEntry` made.
    this.#input ??= this.#restored(this.#parsed(this.#row.input)) as Input;
    return this.#input;
  }

  get outcomes(): readonly Outcome[] {
    this.#outcomes ??= this.#parsedOutcomes();
    return this.#outcomes;
  }

  toJSON(): Entry<Input, Outcome> {
    return plainEntry(this);
  }

  #parsedOutcomes(): readonly Outcome[] {
    const parsed = this.#parsed(this.#row.outcomes);
    if (!Array.isArray(parsed)) throw new EntryDamaged(this.seq, 'its outcomes are not a list');
    return parsed.map((item: unknown) => this.#restored(item) as Outcome);
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new EntryDamaged(this.seq, 'its text is not JSON', { cause });
    }
  }

  // The object is fresh from the parser and nobody else's, so its reference is replaced in place; its keys keep their order.
  #restored(item: unknown): object {
    if (typeof item !== 'object' || item === null)
      throw new EntryDamaged(this.seq, 'an item is not an object');
    const referring = item as { bytes?: unknown };
    if (referring.bytes !== undefined) referring.bytes = this.#resolved(referring.bytes);
    return item;
  }

  #resolved(reference: unknown): Uint8Array {
    if (typeof reference === 'string') return this.#loadLarge(reference);
    const payload = this.#row.payload ?? noBytes;
    if (!isSpan(reference, payload.length))
      throw new EntryDamaged(this.seq, 'a payload points outside its row');
    const [offset, length] = reference;
    return new Uint8Array(payload.buffer, payload.byteOffset + offset, length);
  }
}

function isSpan(reference: unknown, length: number): reference is readonly [number, number] {
  if (!Array.isArray(reference) || reference.length !== 2) return false;
  const [offset, count] = reference as [unknown, unknown];
  return isCount(offset) && isCount(count) && offset + count <= length;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
