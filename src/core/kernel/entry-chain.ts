import { utf8 } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Sha256 } from './digest.ts';
import type { EntryRow } from './entry-codec.ts';

// Each entry's hash covers the hash before it, so one hash vouches for a whole log:
//
//   start = SHA-256(canonical JSON of the manifest)
//   hash  = SHA-256(hash before · seq · at · three lengths · input · outcomes · payload)
//
// Numbers are big-endian: seq and at of 8 bytes, a length (of the bytes that follow) of 4. Large payloads are covered by
// the digests that stand in the texts.

/** What stands before the hash of the first entry. */
export function chainStart(manifest: object, hash: Sha256): Uint8Array {
  return hash(utf8(canonicalJson(manifest)));
}

/** The 32 bytes that vouch for `row` and for all before it. */
export function chainHash(previous: Uint8Array, row: EntryRow, hash: Sha256): Uint8Array {
  const payloadLength = row.payload?.length ?? 0;
  const room = headBytes + 3 * (row.input.length + row.outcomes.length) + payloadLength;
  const into = room <= scratchBytes ? scratch : frameOf(room);
  const inputLength = encoder.encodeInto(row.input, into.texts).written;
  const outcomesLength = encoder.encodeInto(row.outcomes, into.texts.subarray(inputLength)).written;
  const textsEnd = headBytes + inputLength + outcomesLength;
  if (row.payload !== undefined) into.bytes.set(row.payload, textsEnd);
  into.bytes.set(previous, 0);
  setUint64(into.head, 32, row.seq);
  setUint64(into.head, 40, row.at);
  into.head.setUint32(48, inputLength);
  into.head.setUint32(52, outcomesLength);
  into.head.setUint32(56, payloadLength);
  return hash(into.bytes.subarray(0, textsEnd + payloadLength));
}

const encoder = new TextEncoder();
const headBytes = 32 + 8 + 8 + 4 + 4 + 4;

interface Frame {
  readonly bytes: Uint8Array;
  readonly head: DataView;
  readonly texts: Uint8Array;
}

// Nearly every entry fits, and then nothing is allocated for it.
const scratchBytes = 64 * 1024;
const scratch = frameOf(scratchBytes);

function frameOf(length: number): Frame {
  const bytes = new Uint8Array(length);
  return { bytes, head: new DataView(bytes.buffer, 0, headBytes), texts: bytes.subarray(headBytes) };
}

function setUint64(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / 0x1_0000_0000));
  view.setUint32(at + 4, value >>> 0);
}
