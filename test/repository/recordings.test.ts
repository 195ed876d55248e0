import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fold, reduce } from '../../src/core/simulator/reduce.ts';
import { recheck } from '../../src/core/simulator/replay.ts';
import { restoreSnapshot, takeSnapshot, worldDigest } from '../../src/core/simulator/snapshot.ts';
import { emptyWorld } from '../../src/core/simulator/world.ts';
import { openJsonLinesLog } from '../../src/edges/json-lines/open-json-lines-log.ts';
import { recordings } from '../../scripts/recording/all.ts';
import { digestsOf, pinnedDigests, recordingsFolder } from '../../scripts/recording/digests.ts';
import { recorded } from '../../scripts/recording/recording.ts';

const files = readdirSync(recordingsFolder).filter((name) => name.endsWith('.jsonl'));
const pinned = pinnedDigests();

it('every recording has its digests, and every digest its recording', () => {
  expect(files.length).toBeGreaterThan(0);
  expect(Object.keys(pinned).sort()).toEqual(files.sort());
});

describe.each(files)('recordings/%s', (file) => {
  it('folds to the pinned world, and deciding it again gives the same', async () => {
    const { decided, divergence, ...digests } = await digestsOf(file);
    expect(divergence).toBeUndefined();
    expect(digests).toEqual(pinned[file]);
    expect(decided).toBe(digests.world);
  });

  it('goes on from a snapshot at any entry as if it had never stopped', async () => {
    const log = openJsonLinesLog(new URL(file, recordingsFolder).pathname);
    const entries = await log.read(1, log.head.seq);
    let world = emptyWorld(log.manifest);
    for (const [index, entry] of entries.entries()) {
      const rest = entries.slice(index);
      const again = recheck(restoreSnapshot(takeSnapshot(world)), rest);
      expect(again.divergence).toBeUndefined();
      expect(worldDigest(again.world)).toBe(pinned[file]?.world);
      world = reduce(world, entry);
    }
    expect(worldDigest(fold(world, []))).toBe(pinned[file]?.world);
  });
});

describe.each(recordings)('the recording $name', (recording) => {
  it('made anew has the bytes that are kept; if it should not: node scripts/make-recordings.ts', async () => {
    const kept = readFileSync(new URL(`${recording.name}.jsonl`, recordingsFolder), 'utf8');
    expect(await recorded(recording)).toBe(kept);
  });

  it('is small enough to be read in a review', async () => {
    expect((await recorded(recording)).length).toBeLessThan(100_000);
  });
});

it('the recordings hold every kind of input and of outcome', async () => {
  const kinds = new Set<string>();
  for (const file of files) {
    const log = openJsonLinesLog(new URL(file, recordingsFolder).pathname);
    for (const { input, outcomes } of await log.read(1, log.head.seq)) {
      for (const { kind } of [input, ...outcomes]) kinds.add(kind);
    }
  }
  const declared = ['../../src/core/services/rpc/events.ts', '../../src/core/simulator/events.ts'].flatMap(
    (path) => {
      const source = readFileSync(new URL(path, import.meta.url), 'utf8');
      return Array.from(source.matchAll(/readonly kind: '(\w+)'/g), ([, kind = '']) => kind);
    },
  );
  expect([...kinds].toSorted()).toEqual(declared.toSorted());
});
