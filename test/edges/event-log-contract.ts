import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex } from '../../src/core/kernel/bytes.ts';
import { sha256 } from '../../src/core/kernel/digest.ts';
import { chainHash, chainStart } from '../../src/core/kernel/entry-chain.ts';
import { encodeEntry } from '../../src/core/kernel/entry-codec.ts';
import type { LogEntry } from '../../src/core/simulator/events.ts';
import type { EventLog, Manifest, Snapshot } from '../../src/core/simulator/ports.ts';
import { plainEntries, plainEntry, someEntries, textsOf } from './arbitrary-entries.ts';

export const manifest: Manifest = {
  format: 1,
  seed: 'seven',
  clock: { mode: 'virtual', startAt: 0 },
  reducerDigest: 'reducers',
  compat: [],
};

/** How a test comes by a log of one maker, with these entries in it. The test closes it. */
export type LogOf = (entries: readonly LogEntry[]) => Promise<EventLog>;

/** What holds for every maker of the port, also for one that only reads. `numRuns` is how often each law is tried. */
export function itReadsAsALogDoes(logOf: LogOf, numRuns = 40): void {
  describe('reading', () => {
    it('gives back what was written, in order, for any content', async () => {
      await fc.assert(
        fc.asyncProperty(someEntries, async (entries) => {
          await usingLog(logOf, entries, async (log) => {
            expect(textsOf(await log.read(1, 100))).toEqual(textsOf(entries));
          });
        }),
        { numRuns },
      );
    });

    it('gives any stretch of it', async () => {
      const entries = plainEntries(1, 30);
      await usingLog(logOf, entries, async (log) => {
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 40 }),
            fc.integer({ min: 0, max: 40 }),
            async (from, limit) => {
              const expected = textsOf(entries.slice(from - 1, from - 1 + limit));
              expect(textsOf(await log.read(from, limit))).toEqual(expected);
            },
          ),
        );
      });
    });

    it('ends in the hash that the manifest and the entries give', async () => {
      await fc.assert(
        fc.asyncProperty(someEntries, async (entries) => {
          await usingLog(logOf, entries, async (log) => {
            expect(log.head).toEqual({ seq: entries.length, hash: hashOf(entries) });
          });
        }),
        { numRuns },
      );
    });

    it('knows the manifest that it was made with', async () => {
      await usingLog(logOf, [], (log) => expect(log.manifest).toEqual(manifest));
    });

    it('verifies what is as it was written', async () => {
      await usingLog(logOf, [...plainEntries(1, 5), plainEntry(6, new Uint8Array(9_000))], async (log) => {
        await log.verify();
        expect(log.head.seq).toBe(6);
      });
    });

    it('gives payloads as plain bytes, large and small', async () => {
      const [small, large] = [new Uint8Array([9]), new Uint8Array(5_000).fill(9)];
      await usingLog(logOf, [plainEntry(1, small), plainEntry(2, large)], async (log) => {
        const outcomes = (await log.read(1, 2)).flatMap((entry) => entry.outcomes);
        expect(outcomes).toStrictEqual([
          { kind: 'MessageSent', call: 1, bytes: small },
          { kind: 'MessageSent', call: 2, bytes: large },
        ]);
      });
    });
  });
}

/** What holds for every maker that also writes. */
export function itWritesAsALogDoes(logOf: LogOf, numRuns = 40): void {
  describe('writing', () => {
    it('shows an entry when it has been flushed, and not before', async () => {
      await usingLog(logOf, plainEntries(1, 2), async (log) => {
        log.stage(plainEntry(3));
        expect([log.head.seq, (await log.read(1, 9)).length]).toEqual([2, 2]);
        await log.flush();
        expect([log.head.seq, (await log.read(1, 9)).length]).toEqual([3, 3]);
      });
    });

    it('gives the same hash, however the entries are grouped into flushes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (flushes) => {
          await usingLog(logOf, [], async (log) => {
            for (const [index, flush] of flushes.entries()) {
              log.stage(plainEntry(index + 1));
              if (flush) await log.flush();
            }
            await log.flush();
            expect(log.head.hash).toBe(hashOf(plainEntries(1, 12)));
          });
        }),
        { numRuns },
      );
    });

    it('takes a flush of nothing', async () => {
      await usingLog(logOf, plainEntries(1, 2), async (log) => {
        await log.flush();
        expect(log.head.seq).toBe(2);
      });
    });

    it('refuses an entry out of order as a mistake of the program', async () => {
      await usingLog(logOf, plainEntries(1, 2), (log) => {
        expect(() => log.stage(plainEntry(2))).toThrow('entry 3 was to be staged, not 2');
        expect(() => log.stage(plainEntry(4))).toThrow('entry 3 was to be staged, not 4');
      });
    });

    it('does nothing more once it is closed, and closes only once', async () => {
      const log = await logOf(plainEntries(1, 2));
      await log.close();
      await log.close();
      expect(() => log.stage(plainEntry(3))).toThrow(expect.objectContaining({ code: 'DT_LOG_CLOSED' }));
      expect(() => log.read(1, 1)).toThrow(expect.objectContaining({ code: 'DT_LOG_CLOSED' }));
    });
  });

  describe('snapshots', () => {
    it('are found by reducers, the newest at or before the seq', async () => {
      const saved = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.constantFrom('old', 'new')), {
        selector: ([seq, digest]) => `${seq} ${digest}`,
      });
      await fc.assert(
        fc.asyncProperty(saved, fc.integer({ min: 0, max: 20 }), async (marks, at) => {
          await usingLog(logOf, plainEntries(1, 20), async (log) => {
            for (const [seq, digest] of marks) await log.saveSnapshot(snapshot(seq, digest));
            const seqs = marks.filter(([seq, digest]) => digest === 'new' && seq <= at).map(([seq]) => seq);
            const expected = seqs.length === 0 ? undefined : snapshot(Math.max(...seqs), 'new');
            expect(await log.loadSnapshot(at, 'new')).toEqual(expected);
            await log.verify();
          });
        }),
        { numRuns },
      );
    });

    it('keep the names and the order of their parts, also empty ones and none', async () => {
      await usingLog(logOf, plainEntries(1, 2), async (log) => {
        const parts = new Map([
          ['__proto__', new Uint8Array([1])],
          ['7', new Uint8Array()],
          ['', new Uint8Array(10_000).fill(7)],
        ]);
        await log.saveSnapshot({ seq: 1, reducerDigest: 'r', parts });
        await log.saveSnapshot({ seq: 2, reducerDigest: 'none', parts: new Map() });
        expect([...((await log.loadSnapshot(2, 'r'))?.parts ?? [])]).toEqual([...parts]);
        expect(await log.loadSnapshot(2, 'none')).toEqual({
          seq: 2,
          reducerDigest: 'none',
          parts: new Map(),
        });
      });
    });

    it('are made of durable entries only', async () => {
      await usingLog(logOf, plainEntries(1, 2), (log) => {
        log.stage(plainEntry(3));
        expect(() => log.saveSnapshot(snapshot(3, 'r'))).toThrow('there is no durable entry 3');
      });
    });
  });
}

export async function usingLog(
  logOf: LogOf,
  entries: readonly LogEntry[],
  use: (log: EventLog) => void | Promise<void>,
): Promise<void> {
  const log = await logOf(entries);
  try {
    await use(log);
  } finally {
    await log.close();
  }
}

export async function append(log: EventLog, entries: readonly LogEntry[]): Promise<void> {
  for (const entry of entries) log.stage(entry);
  await log.flush();
}

function snapshot(seq: number, reducerDigest: string): Snapshot {
  const parts = new Map([
    ['same', new Uint8Array([1, 2, 3])],
    ['other', new Uint8Array([seq])],
  ]);
  return { seq, reducerDigest, parts };
}

// By the slow hash of core, entry by entry, as entry-chain.ts says.
function hashOf(entries: readonly LogEntry[]): string {
  let hash = chainStart(manifest, sha256);
  for (const entry of entries) hash = chainHash(hash, encodeEntry(entry), sha256);
  return entries.length === 0 ? '0'.repeat(64) : hex(hash);
}
