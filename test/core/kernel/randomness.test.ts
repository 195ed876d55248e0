import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomnessAt } from '../../../src/core/kernel/randomness.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('the same seed and seq draw the same, and another seq draws something else', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (seed, seq) => {
      const draw = (at: number) => {
        const randomness = randomnessAt(seed, at);
        return [randomness.uuid(), randomness.next32(), randomness.fraction(), randomness.integer(1, 6)];
      };
      expect(draw(seq)).toEqual(draw(seq));
      expect(draw(seq)).not.toEqual(draw(seq + 1));
    }),
  );
});

test('a uuid is one of version 4', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (seed, seq) => {
      expect(randomnessAt(seed, seq).uuid()).toMatch(uuidPattern);
    }),
  );
});

test('an integer lies between its bounds, and both occur', () => {
  const randomness = randomnessAt('bounds', 1);
  const drawn = new Set(Array.from({ length: 400 }, () => randomness.integer(-1, 2)));
  expect([...drawn].sort((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
});

test('the draws are these, on every machine and in every version', () => {
  const randomness = randomnessAt('7', 1);
  expect([randomness.next32(), randomness.next32(), randomness.uuid()]).toMatchInlineSnapshot(`
    [
      555035088,
      2216795512,
      "bff6d33a-c7ad-4998-b818-86f5d662913b",
    ]
  `);
});
