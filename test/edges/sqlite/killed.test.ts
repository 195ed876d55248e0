import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomnessAt } from '../../../src/core/kernel/randomness.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { tortureRound } from './torture/round.ts';

// Hundreds of rounds: node bench/torture.ts --rounds 300
const rounds = 5;

it.each(['process', 'power'] as const)(
  'a writer that is killed loses nothing that was answered, and the next one goes on (%s)',
  async (durability) => {
    const file = join(temporaryFolder(), 'run.take');
    const chance = randomnessAt('killed', durability.length);
    let before = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const answers = chance.integer(1, durability === 'power' ? 200 : 1_500);
      const { answered, head } = await tortureRound({ file, durability, chance, before, answers });
      expect(answered).toBeGreaterThan(before);
      expect(head).toBeGreaterThanOrEqual(answered);
      before = head;
    }
    const log = openSqliteLog({ file });
    await log.verify();
    await log.close();
  },
);
