import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomnessAt } from '../../src/core/kernel/randomness.ts';
import { crashRound } from './crash/round.ts';
import { newFolder, run } from './running-process.ts';

// The long version is bench/torture-serve.ts.
describe.each(['process', 'power'] as const)('kill -9 under load, with durability %s', (durability) => {
  it('loses nothing that a client saw, round after round on one take', async () => {
    const take = join(newFolder(), 'run.take');
    let before = 0;
    for (const [index, answers] of [120, 1, 0, 300].entries()) {
      const chance = randomnessAt(durability, index);
      const result = await crashRound({ take, durability, chance, before, name: `r${index}`, answers });
      expect(result.answered).toBeGreaterThanOrEqual(answers);
      expect(result.head).toBeGreaterThan(before + answers - 1);
      before = result.head;
    }
    expect(await run(['check', take])).toMatchObject({ code: 0 });
  });
});

describe('SIGTERM under load', () => {
  it('loses nothing that a client saw, and closes the take', async () => {
    const take = join(newFolder(), 'run.take');
    const chance = randomnessAt('SIGTERM', 1);
    const round = { take, durability: 'process', chance, before: 0, name: 'r1', answers: 200 } as const;
    const { answered } = await crashRound({ ...round, signal: 'SIGTERM' });
    expect(answered).toBeGreaterThanOrEqual(200);
    expect(existsSync(`${take}-wal`)).toBe(false);
    expect(await run(['check', take])).toMatchObject({ code: 0 });
  });
});
