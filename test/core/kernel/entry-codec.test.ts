import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestHex } from '../../../src/core/kernel/digest.ts';
import {
  decodeEntry,
  encodeEntry,
  EntryDamaged,
  holdsExactly,
  payloadInlineBytesMax,
  type EncodedEntry,
  type EntryRow,
} from '../../../src/core/kernel/entry-codec.ts';
import type { Input, LogEntry, Outcome } from '../../../src/core/simulator/events.ts';
import { plainEntry, someEntries, textOf } from '../../edges/arbitrary-entries.ts';

describe('an encoded entry', () => {
  it('decodes to the entry that it was', () => {
    fc.assert(
      fc.property(someEntries, (entries) => {
        for (const entry of entries) expect(textOf(decoded(encodeEntry(entry)))).toBe(textOf(entry));
      }),
    );
  });

  it('is the same when it is encoded again after decoding', () => {
    fc.assert(
      fc.property(someEntries, (entries) => {
        for (const encoded of entries.map((entry) => encodeEntry(entry))) {
          expect(encodeEntry(decoded(encoded))).toEqual(encoded);
        }
      }),
    );
  });

  it('holds exactly the outcomes that it was encoded with, and no others', () => {
    fc.assert(
      fc.property(someEntries, (entries) => {
        for (const entry of entries) {
          const kept = decoded(encodeEntry(entry));
          expect(holdsExactly(kept, entry.outcomes)).toBe(true);
          expect(holdsExactly(kept, [...entry.outcomes, { kind: 'CallHalfClosed' }])).toBe(false);
          for (const [index, outcome] of entry.outcomes.entries()) {
            const before = 'bytes' in outcome ? outcome.bytes : undefined;
            const bytes = Uint8Array.from([...(before ?? []), 1]);
            expect(holdsExactly(kept, entry.outcomes.with(index, { ...outcome, bytes } as Outcome))).toBe(
              false,
            );
          }
        }
      }),
    );
  });

  it('holds other outcomes when one byte of a payload differs', () => {
    const kept = decoded(encodeEntry(plainEntry(7)));
    const changed = plainEntry(7).outcomes.map((outcome) => ({
      ...outcome,
      bytes: new Uint8Array([7, 1, 3]),
    }));
    expect(holdsExactly(kept, changed)).toBe(false);
  });

  it('is text that any UTF-8 encoder takes unchanged', () => {
    fc.assert(
      fc.property(someEntries, (entries) => {
        for (const entry of entries) {
          const { input, outcomes } = encodeEntry(entry);
          expect((input + outcomes).isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('has its small payloads one after the other, and refers to them by offset and length', () => {
    const { input, outcomes, payload, large } = encodeEntry(plainEntry(7));
    expect(JSON.parse(input)).toMatchObject({ bytes: [0, 3] });
    expect(JSON.parse(outcomes)).toMatchObject([{ bytes: [3, 3] }]);
    expect([...(payload ?? [])]).toEqual([1, 2, 3, 7, 1, 2]);
    expect(large).toEqual([]);
  });

  it('keeps a payload by its digest from the limit on, and once', () => {
    const bytes = new Uint8Array(payloadInlineBytesMax).fill(7);
    const digest = digestHex(bytes);
    const item = { kind: 'k', bytes };
    const { input, payload, large } = encodeEntry({ seq: 1, at: 0, input: item, outcomes: [item, item] });
    expect(JSON.parse(input)).toEqual({ kind: 'k', bytes: digest });
    expect({ payload, large }).toEqual({ payload: undefined, large: [{ digest, bytes }] });
    const shorter = { kind: 'k', bytes: bytes.subarray(1) };
    expect(encodeEntry({ seq: 1, at: 0, input: shorter, outcomes: [] }).large).toEqual([]);
  });

  it('does not mix up its payload with that of the next entry', () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => encodeEntry(plainEntry(index + 1)));
    for (const row of rows) expect(textOf(decoded(row))).toBe(textOf(plainEntry(row.seq)));
  });

  it('is hashed once for a large payload that comes again', () => {
    let hashed = 0;
    const entry = plainEntry(1, new Uint8Array(9_000));
    for (let times = 0; times < 3; times += 1) {
      encodeEntry(entry, (bytes) => {
        hashed += 1;
        return bytes.subarray(0, 32);
      });
    }
    expect(hashed).toBe(1);
  });
});

describe('a decoded entry', () => {
  it('reads neither input nor outcomes before they are asked for, and each once', () => {
    const asked: string[] = [];
    const { input, outcomes, ...rest } = encodeEntry(plainEntry(1));
    const row: EntryRow = {
      ...rest,
      get input() {
        asked.push('input');
        return input;
      },
      get outcomes() {
        asked.push('outcomes');
        return outcomes;
      },
    };
    const entry = decodeEntry(row, noLarge);
    expect([entry.seq, entry.at, asked]).toEqual([1, 10, []]);
    expect(entry.outcomes).toBe(entry.outcomes);
    expect(asked).toEqual(['outcomes']);
    expect(entry.input).toBe(entry.input);
    expect(asked).toEqual(['outcomes', 'input']);
  });

  it.each<[string, Partial<EntryRow>]>([
    ['text that is not JSON', { input: '{' }],
    ['an item that is not an object', { input: '7' }],
    ['a payload outside its row', { input: '{"bytes":[4,3]}' }],
    ['a payload of no sensible place', { input: '{"bytes":[-1,1.5]}' }],
    ['a payload of the wrong form', { input: '{"bytes":{}}' }],
    ['outcomes that are no list', { outcomes: '{}' }],
    ['an outcome that is null', { outcomes: '[null]' }],
  ])('with %s says which entry it is', (_what, damage) => {
    const entry = decodeEntry({ ...encodeEntry(plainEntry(7)), ...damage }, noLarge);
    expect(() => [entry.input, entry.outcomes]).toThrow(EntryDamaged);
    expect(() => [entry.input, entry.outcomes]).toThrow(/^entry 7: /);
  });
});

function decoded(encoded: EncodedEntry): LogEntry {
  const load = (digest: string): Uint8Array => {
    const found = encoded.large.find((large) => large.digest === digest);
    if (found === undefined) throw new Error(`no payload ${digest}`);
    return found.bytes;
  };
  return decodeEntry<Input, Outcome>(encoded, load);
}

function noLarge(digest: string): never {
  throw new Error(`no payload ${digest}`);
}
