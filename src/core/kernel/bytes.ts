import { base64Decode, base64Encode } from '@bufbuild/protobuf/wire';
import { bytesToHex } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();
// A byte order mark is content: what came in must come out the same.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

export const noBytes: Uint8Array = new Uint8Array(0);

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Invalid sequences become U+FFFD. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Throws a `TypeError` for bytes that are not UTF-8. */
export function strictUtf8Text(bytes: Uint8Array): string {
  return strictDecoder.decode(bytes);
}

/** Standard alphabet, padded. */
export function base64(bytes: Uint8Array): string {
  return base64Encode(bytes);
}

/** Either alphabet, with or without padding. Throws for anything else. */
export function fromBase64(text: string): Uint8Array {
  return base64Decode(text.replaceAll('-', '+').replaceAll('_', '/'));
}

export function hex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
