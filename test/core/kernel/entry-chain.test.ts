import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex } from '../../../src/core/kernel/bytes.ts';
import { sha256 } from '../../../src/core/kernel/digest.ts';
import { chainHash, chainStart } from '../../../src/core/kernel/entry-chain.ts';
import type { EntryRow } from '../../../src/core/kernel/entry-codec.ts';
import { nodeSha256 } from '../../../src/edges/sqlite/node-sha256.ts';

const rows: fc.Arbitrary<EntryRow> = fc.record({
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  at: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  input: fc.string({ unit: 'binary' }),
  outcomes: fc.string({ unit: 'binary' }),
  payload: fc.option(fc.uint8Array({ minLength: 1 }), { nil: undefined }),
});
const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('the chain hash', () => {
  it('is the SHA-256 of the layout that entry-chain.ts draws', () => {
    fc.assert(
      fc.property(hashes, rows, (previous, row) => {
        expect(hex(chainHash(previous, row, sha256))).toBe(plainChainHash(previous, row));
      }),
    );
  });

  it('is the same by core and by the platform, also beyond the size of the scratch memory', () => {
    fc.assert(
      fc.property(hashes, rows, fc.integer({ min: 0, max: 60_000 }), (previous, row, length) => {
        const long = { ...row, input: row.input + 'ü'.repeat(length) };
        expect(chainHash(previous, long, nodeSha256)).toEqual(chainHash(previous, long, sha256));
      }),
      { numRuns: 30 },
    );
  });

  it('is another one when a sign moves from one text to the other', () => {
    const row = { seq: 1, at: 1, input: 'ab', outcomes: 'c', payload: undefined };
    const moved = { ...row, input: 'a', outcomes: 'bc' };
    const payload = { ...row, outcomes: '', payload: new TextEncoder().encode('c') };
    const found = [row, moved, payload].map((each) => hex(chainHash(new Uint8Array(32), each, sha256)));
    expect(new Set(found).size).toBe(3);
  });

  it('begins with the manifest, whatever the order of its keys', () => {
    const start = hex(chainStart({ seed: 's', format: 1 }, sha256));
    expect(start).toBe(hex(chainStart({ format: 1, seed: 's' }, sha256)));
    expect(start).not.toBe(hex(chainStart({ format: 1, seed: 't' }, sha256)));
  });
});

function plainChainHash(previous: Uint8Array, { seq, at, input, outcomes, payload }: EntryRow): string {
  const [texts, results, bytes] = [Buffer.from(input), Buffer.from(outcomes), Buffer.from(payload ?? [])];
  const numbers = Buffer.alloc(28);
  numbers.writeBigUInt64BE(BigInt(seq), 0);
  numbers.writeBigUInt64BE(BigInt(at), 8);
  [texts, results, bytes].forEach(({ length }, index) => numbers.writeUInt32BE(length, 16 + 4 * index));
  const hash = createHash('sha256');
  for (const part of [previous, numbers, texts, results, bytes]) hash.update(part);
  return hash.digest('hex');
}
