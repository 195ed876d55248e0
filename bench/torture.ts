// Kills a writing process with signal 9 again and again and looks at what it leaves behind. Nothing that was answered may be
// missing, and the take must open each time.
//
//     node bench/torture.ts [--rounds 300] [--seed …]
//
// A failure prints the seed and leaves the take where it says.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomnessAt, type Randomness } from '../src/core/kernel/randomness.ts';
import { openSqliteLog, type Durability } from '../src/edges/sqlite/open-sqlite-log.ts';
import { tortureRound } from '../test/edges/sqlite/torture/round.ts';

// A take is begun anew now and then, so that making one is hit, too.
const roundsPerTake = 10;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'doubletake-torture-'));
let answered = 0;

for (let first = 1; first <= rounds; first += roundsPerTake) {
  await torture(first, Math.min(roundsPerTake, rounds - first + 1));
  console.log(
    `${Math.min(rounds, first + roundsPerTake - 1)} rounds, ${answered} entries answered, none lost`,
  );
}
rmSync(folder, { recursive: true });

async function torture(first: number, count: number): Promise<void> {
  const file = join(folder, `${first}.take`);
  const chance = randomnessAt(values.seed, first);
  const durability: Durability = chance.integer(0, 3) === 0 ? 'power' : 'process';
  let before = 0;
  for (let round = first; round < first + count; round += 1) {
    try {
      before = (await tortureRound({ file, durability, chance, before, answers: answersOf(chance) })).head;
    } catch (failure) {
      console.error(`round ${round} of --seed ${values.seed} --rounds ${rounds}, ${durability}, ${file}`);
      throw failure;
    }
  }
  answered += before;
  await verifyWhole(file);
}

function answersOf(chance: Randomness): number {
  return chance.integer(0, 2) === 0 ? 0 : chance.integer(1, chance.integer(1, 3_000));
}

async function verifyWhole(file: string): Promise<void> {
  const log = openSqliteLog({ file });
  await log.verify();
  await log.close();
}
