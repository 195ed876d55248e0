import { digestHex } from './digest.ts';

/**
 * Chance that is the same on every replay: it comes from (seed, seq) and the number of draws so far.
 * One instance serves one entry; whoever decides that entry draws in a decided order.
 */
export interface Randomness {
  /** A 32-bit unsigned integer. */
  next32(): number;
  /** A whole number from `min` to `max`, both included; both safe integers. */
  integer(min: number, max: number): number;
  /** A number in [0, 1) of 53 bits. */
  fraction(): number;
  /** A UUID of version 4 (RFC 9562), lower case. */
  uuid(): string;
}

/** The randomness of the entry `seq` of the log that was started with `seed`. */
export function randomnessAt(seed: string, seq: number): Randomness {
  let state: Uint32Array | undefined;

  // xoshiro128** (Blackman and Vigna), seeded by SHA-256. Hashing waits for the first draw: most entries draw nothing.
  function next32(): number {
    state ??= seedState(`${seed}\n${seq}`);
    const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = state;
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const t2 = s2 ^ s0;
    const t3 = s3 ^ s1;
    state[1] = s1 ^ t2;
    state[0] = s0 ^ t3;
    state[2] = t2 ^ (s1 << 9);
    state[3] = rotateLeft(t3, 11);
    return result;
  }

  function fraction(): number {
    return ((next32() >>> 5) * 0x4000000 + (next32() >>> 6)) / 0x20000000000000;
  }

  return {
    next32,
    fraction,
    integer: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    uuid: () => uuidFrom([next32(), next32(), next32(), next32()]),
  };
}

function seedState(text: string): Uint32Array {
  const digest = digestHex(text);
  return Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(digest.slice(at, at + 8), 16));
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

function hexOf(word: number): string {
  return (
    (hexOfByte[word >>> 24] ?? '') +
    (hexOfByte[(word >>> 16) & 0xff] ?? '') +
    (hexOfByte[(word >>> 8) & 0xff] ?? '') +
    (hexOfByte[word & 0xff] ?? '')
  );
}

function uuidFrom([a, b, c, d]: readonly [number, number, number, number]): string {
  // Version 4 and the variant of RFC 9562 take six of the 128 bits.
  const second = hexOf((b & 0xffff0fff) | 0x4000);
  const third = hexOf((c & 0x3fffffff) | 0x80000000);
  return `${hexOf(a)}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hexOf(d)}`;
}
