// A process that writes a take without end and says after each flush what has been answered; it is there to be killed.
//
//     node writer.ts FILE DURABILITY SEED

import { writeSync } from 'node:fs';
import { randomnessAt } from '../../../../src/core/kernel/randomness.ts';
import { openSqliteLog, type Durability } from '../../../../src/edges/sqlite/open-sqlite-log.ts';
import { manifest, tortureEntry } from './torture-entry.ts';

const [file = '', durability = 'process', seed = ''] = process.argv.slice(2);
// The command line is the test's own.
const log = openSqliteLog({ file, manifest, durability: durability as Durability });
const chance = randomnessAt(seed, 1);
writeSync(1, `${log.head.seq}\n`);
await writeOn();

async function writeOn(): Promise<void> {
  for (;;) {
    const count = chance.integer(1, chance.integer(1, 40));
    const { seq } = log.head;
    for (let next = seq + 1; next <= seq + count; next += 1) log.stage(tortureEntry(next));
    await log.flush();
    writeSync(1, `${log.head.seq}\n`);
    if (chance.integer(0, 30) === 0) await saveSnapshot();
    if (chance.integer(0, 7) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function saveSnapshot(): Promise<void> {
  const { seq } = log.head;
  const parts = new Map([
    ['same', new Uint8Array(3_000)],
    ['other', new Uint8Array([seq % 256])],
  ]);
  await log.saveSnapshot({ seq, reducerDigest: manifest.reducerDigest, parts });
}
