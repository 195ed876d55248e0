// Opens every recording, verifies its chain, folds it, decides it again, and makes it anew; compares all with what is kept.
//
//     node scripts/check-recordings.ts [--json]
//
// Any Node from 22.18 on, any machine, time zone and locale: the digests are the same. Ends with 3 when one differs.
import { readFileSync } from 'node:fs';
import { digestHex } from '../src/core/kernel/digest.ts';
import { recordings } from './recording/all.ts';
import { digestsOf, pinnedDigests, recordingsFolder } from './recording/digests.ts';
import { recorded } from './recording/recording.ts';

const asJson = process.argv.includes('--json');
const pinned = pinnedDigests();
if (!asJson) console.log(`Node ${process.version}`);
for (const recording of recordings) {
  const file = `${recording.name}.jsonl`;
  const { divergence, ...digests } = await digestsOf(file);
  const bytes = digestHex(await recorded(recording));
  const differs = [
    divergence,
    digests.world === pinned[file]?.world ? undefined : 'the world is not the pinned one',
    digests.head === pinned[file]?.head ? undefined : 'the last hash is not the pinned one',
    bytes === digestHex(readFileSync(new URL(file, recordingsFolder)))
      ? undefined
      : 'made anew, it has other bytes',
  ].filter((text) => text !== undefined);
  if (differs.length > 0) process.exitCode = 3;
  console.log(
    asJson ? JSON.stringify({ file, ...digests, bytes, differs }) : told(file, digests.world, differs),
  );
}

function told(file: string, world: string, differs: readonly string[]): string {
  return `${differs.length === 0 ? '✓' : '✗'} ${file}: world ${world.slice(0, 16)} ${differs.join('; ')}`.trimEnd();
}
