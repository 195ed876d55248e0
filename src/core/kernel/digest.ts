import { sha256 as sha256Of } from '@noble/hashes/sha2.js';
import { utf8, hex } from './bytes.ts';

/** Gives the 32 bytes of the SHA-256 of `bytes`. An edge may pass its platform's faster one. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export const sha256: Sha256 = (bytes) => sha256Of(bytes);

/** Lower-case hex of the SHA-256 of bytes, or of a text's UTF-8. */
export function digestHex(content: Uint8Array | string, hash: Sha256 = sha256): string {
  return hex(hash(typeof content === 'string' ? utf8(content) : content));
}
