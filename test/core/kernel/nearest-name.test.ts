import { expect, test } from 'vitest';
import { nearestName } from '../../../src/core/kernel/nearest-name.ts';

const names = ['id', 'service', 'method', 'priority', 'input', 'inputs'];

test.each([
  ['prioriy', 'priority'],
  ['pirority', 'priority'],
  ['Method', 'method'],
  ['imputs', 'inputs'],
  ['inptu', 'input'],
  ['ids', 'id'],
])('%s was meant to be %s', (typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});

test.each(['', 'x', 'stream', 'priority'.repeat(100_000)])('%.20s is near to nothing', (typed) => {
  expect(nearestName(typed, names)).toBeUndefined();
});
