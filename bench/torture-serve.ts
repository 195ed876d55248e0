// Serves a take under load of clients, kills the server with signal 9 again and again, and looks at what it leaves behind:
// every answer that a client saw is in the take just so, the take opens, and deciding it again gives the same.
//
//     node bench/torture-serve.ts [--rounds 100] [--seed …] [--durability process|power]
//
// A failure prints the seed and leaves the take where it says.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomnessAt } from '../src/core/kernel/randomness.ts';
import { crashRound } from '../test/commands/crash/round.ts';
import { run } from '../test/commands/running-process.ts';

// A take is begun anew now and then, so that making one is hit, too.
const roundsPerTake = 10;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now()) },
    durability: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'doubletake-torture-'));
let answered = 0;
let entries = 0;
let before = 0;

for (let round = 1; round <= rounds; round += 1) {
  const chance = randomnessAt(values.seed, round);
  const takeNumber = Math.ceil(round / roundsPerTake);
  const take = join(folder, `${takeNumber}.take`);
  const durability = values.durability === 'power' || takeNumber % 3 === 0 ? 'power' : 'process';
  const answers = chance.integer(0, 3) === 0 ? 0 : chance.integer(1, chance.integer(1, 3_000));
  if (round % roundsPerTake === 1) before = 0;
  const isLast = round % roundsPerTake === 0 || round === rounds;
  try {
    const result = await crashRound({ take, durability, chance, before, name: `r${round}`, answers });
    before = result.head;
    answered += result.answered;
    if (isLast) entries += result.head;
    if (isLast && result.head > 0) await checked(take);
  } catch (failure) {
    console.error(`round ${round} of --seed ${values.seed} --rounds ${rounds}, ${durability}, ${take}`);
    throw failure;
  }
  if (isLast) console.log(`${round} kills, ${answered} calls answered, ${entries} entries, none lost`);
}
rmSync(folder, { recursive: true });

async function checked(take: string): Promise<void> {
  const { code, stdout, stderr } = await run(['check', take]);
  if (code !== 0) throw new Error(`check ended with ${code}: ${stdout}${stderr}`);
}
