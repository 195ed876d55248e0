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
  const payloads: Payloads = { inline: [], inlineLength: 0, large: noLarge, hash };
  const input = JSON.stringify(withReference(entry.input, payloads));
  const outcomes = JSON.stringify(entry.outcomes.map((outcome) => withReference(outcome, payloads)));
  return { seq: entry.seq, at: entry.at, input, outcomes, payload: joined(payloads), large: payloads.large };
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

/**
 * True when the log holds exactly these outcomes for `entry`, told from how they are encoded, which is cheaper than reading
 * them. False says nothing: the same outcomes can be written with their keys in another order.
 */
export function holdsExactly(entry: Entry, outcomes: readonly Item[], hash: Sha256 = sha256): boolean {
  return entry instanceof DecodedEntry && entry.holds(outcomes, hash);
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

/** Grows while an entry's items are gone through. */
interface Payloads {
  readonly inline: Uint8Array[];
  inlineLength: number;
  large: readonly LargePayload[];
  readonly hash: Sha256;
}

const noLarge: readonly LargePayload[] = [];

function withReference(item: Item, payloads: Payloads): object {
  if (item.bytes === undefined) return item;
  return {
    ...item,
    bytes:
      item.bytes.length < payloadInlineBytesMax
        ? addInline(item.bytes, payloads)
        : addLarge(item.bytes, payloads),
  };
}

function addInline(bytes: Uint8Array, payloads: Payloads): Reference {
  const offset = payloads.inlineLength;
  if (bytes.length > 0) payloads.inline.push(bytes);
  payloads.inlineLength += bytes.length;
  return [offset, bytes.length];
}

function addLarge(bytes: Uint8Array, payloads: Payloads): Reference {
  const digest = digestOf(bytes, payloads.hash);
  const isKnown = payloads.large.some((known) => known.digest === digest);
  if (!isKnown) payloads.large = [...payloads.large, { digest, bytes }];
  return digest;
}

const digests = new WeakMap<Uint8Array, string>();

// A static answer is one array for all its calls: it is hashed once.
function digestOf(bytes: Uint8Array, hash: Sha256): string {
  const known = digests.get(bytes);
  if (known !== undefined) return known;
  const digest = digestHex(bytes, hash);
  digests.set(bytes, digest);
  return digest;
}

// Most entries have one small payload or none; those are not copied.
function joined({ inline, inlineLength }: Payloads): Uint8Array | undefined {
  if (inline.length <= 1) return inline[0];
  const all = roomFor(inlineLength);
  let offset = 0;
  for (const bytes of inline) {
    all.set(bytes, offset);
    offset += bytes.length;
  }
  return all;
}

// An array of its own costs more than encoding the rest of the entry; so small ones are cut from a slab, as Node does.
const slabBytes = 64 * 1024;
let slab = noBytes;
let slabUsed = 0;

function roomFor(length: number): Uint8Array {
  if (length > slabBytes / 8) return new Uint8Array(length);
  if (slabUsed + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    slabUsed = 0;
  }
  slabUsed += length;
  return slab.subarray(slabUsed - length, slabUsed);
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

  holds(outcomes: readonly Item[], hash: Sha256): boolean {
    const payloads: Payloads = { inline: [], inlineLength: 0, large: noLarge, hash };
    withReference(this.input, payloads);
    const text = JSON.stringify(outcomes.map((outcome) => withReference(outcome, payloads)));
    return text === this.#row.outcomes && isSequenceOf(this.#row.payload ?? noBytes, payloads.inline);
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

function isSequenceOf(whole: Uint8Array, pieces: readonly Uint8Array[]): boolean {
  let offset = 0;
  for (const piece of pieces) {
    for (let index = 0; index < piece.length; index += 1) {
      if (whole[offset + index] !== piece[index]) return false;
    }
    offset += piece.length;
  }
  return offset === whole.length;
}

function isSpan(reference: unknown, length: number): reference is readonly [number, number] {
  if (!Array.isArray(reference) || reference.length !== 2) return false;
  const [offset, count] = reference as [unknown, unknown];
  return isCount(offset) && isCount(count) && offset + count <= length;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
