import fc from 'fast-check';
import type { Entry, Item } from '../../src/core/kernel/entry.ts';
import type { LogEntry } from '../../src/core/simulator/events.ts';

// Any content that JSON can hold, with what tends to go wrong in it: `__proto__`, keys like numbers, lone surrogates.

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('__proto__', 'constructor', '7', '07', 'toString', 'bytes', '\ud800', '"bytes":[0,9]'),
);

// Minus zero is not a number of JSON.
const number = fc
  .oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true }))
  .map((found) => found + 0);

const value = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie('json')), { maxLength: 4 }).map(Object.fromEntries),
  ),
})).json;

const payload = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  // On both sides of the length from which on a payload is kept by its digest.
  {
    weight: 1,
    arbitrary: fc.integer({ min: 4090, max: 4102 }).map((length) => new Uint8Array(length).fill(length)),
  },
);

const item: fc.Arbitrary<Item> = fc
  .tuple(text, fc.array(fc.tuple(text, value), { maxLength: 3 }), fc.option(payload, { nil: undefined }))
  .map(([kind, pairs, bytes]) => {
    const content = pairs.filter(([key]) => key !== 'bytes');
    const item: Item = { ...(Object.fromEntries(content) as object), kind };
    return bytes === undefined ? item : { ...item, bytes };
  });

const content = fc.record({
  at: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  input: item,
  outcomes: fc.array(item, { maxLength: 3 }),
});

/** Entries 1 to n. What is not a kind that the reducers know is an entry for the log all the same. */
export const someEntries: fc.Arbitrary<readonly LogEntry[]> = fc.array(content, { maxLength: 8 }).map(
  (contents) =>
    contents.map((each, index): Entry => ({
      seq: index + 1,
      ...each,
    })) as readonly Entry[] as readonly LogEntry[],
);

/** All of an entry as one text: the same text for the same entry, the order of keys included. */
export function textOf({ seq, at, input, outcomes }: LogEntry): string {
  return JSON.stringify({ seq, at, input: withHex(input), outcomes: outcomes.map(withHex) });
}

export function textsOf(entries: readonly LogEntry[]): readonly string[] {
  return entries.map(textOf);
}

/** A small entry; `bytes` is the payload of its outcome. */
export function plainEntry(seq: number, bytes = new Uint8Array([seq % 256, 1, 2])): LogEntry {
  const input = {
    kind: 'CallOpened',
    method: '/talk.v1.Talk/Say',
    session: '',
    headers: [['k', `${seq}`]],
  } as const;
  return {
    seq,
    at: seq * 10,
    input: { ...input, bytes: new Uint8Array([1, 2, 3]) },
    outcomes: [{ kind: 'MessageSent', call: seq, bytes }],
  };
}

export function plainEntries(from: number, to: number): readonly LogEntry[] {
  return Array.from({ length: to - from + 1 }, (_, index) => plainEntry(from + index));
}

function withHex(item: Item): object {
  return item.bytes === undefined ? item : { ...item, bytes: Buffer.from(item.bytes).toString('hex') };
}
