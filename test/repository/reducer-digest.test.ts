import { expect, test } from 'vitest';
import { reducerDigest } from '../../src/core/simulator/reducer-digest.ts';
import { digestOfCore } from '../support/digest-of-core.ts';

test('the reducers are named after their source; if not: npm run digest', () => {
  expect(reducerDigest).toBe(digestOfCore());
});
