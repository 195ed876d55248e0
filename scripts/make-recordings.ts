// Makes the recordings anew, with their digests: node scripts/make-recordings.ts
// Twice gives the same bytes. What git then shows as changed is what the change of the code has changed.
import { writeFileSync } from 'node:fs';
import { recordings } from './recording/all.ts';
import { digestsOf, recordingsFolder } from './recording/digests.ts';
import { recorded } from './recording/recording.ts';

const digests: Record<string, object> = {};
for (const recording of recordings) {
  const file = `${recording.name}.jsonl`;
  writeFileSync(new URL(file, recordingsFolder), await recorded(recording));
  const { head, world, entries, divergence } = await digestsOf(file);
  digests[file] = { entries, head, world };
  console.log(`${file}: ${entries} entries, world ${world.slice(0, 16)}${divergence ?? ''}`);
}
writeFileSync(new URL('digests.json', recordingsFolder), `${JSON.stringify(digests, null, 2)}\n`);
