import { readFileSync } from 'node:fs';
import { fold } from '../../src/core/simulator/reduce.ts';
import { recheck } from '../../src/core/simulator/replay.ts';
import { worldDigest } from '../../src/core/simulator/snapshot.ts';
import { emptyWorld } from '../../src/core/simulator/world.ts';
import { openJsonLinesLog } from '../../src/edges/json-lines/open-json-lines-log.ts';

export const recordingsFolder: URL = new URL('../../recordings/', import.meta.url);

export interface Digests {
  readonly entries: number;
  /** The hash of the last entry: over all that came in and all that came of it. */
  readonly head: string;
  /** Of the world that the log folds to. */
  readonly world: string;
}

export interface Checked extends Digests {
  /** Of the world after deciding every input again; the same unless there is a divergence. */
  readonly decided: string;
  readonly divergence?: string;
}

/** Opens a recording, verifies its chain, folds it and decides it again. Rejects with a `LogFailure`. */
export async function digestsOf(file: string): Promise<Checked> {
  const log = openJsonLinesLog(new URL(file, recordingsFolder).pathname);
  await log.verify();
  const entries = await log.read(1, log.head.seq);
  const world = fold(emptyWorld(log.manifest), entries);
  const again = recheck(emptyWorld(log.manifest), entries);
  await log.close();
  return {
    entries: entries.length,
    head: log.head.hash,
    world: worldDigest(world),
    decided: worldDigest(again.world),
    ...(again.divergence !== undefined && { divergence: JSON.stringify(again.divergence) }),
  };
}

/** As they were when the recordings were made. */
export function pinnedDigests(): Readonly<Record<string, Digests>> {
  // Our own file, written by `make-recordings.ts`.
  return JSON.parse(readFileSync(new URL('digests.json', recordingsFolder), 'utf8')) as Record<
    string,
    Digests
  >;
}
