import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimeoutMs } from '../../../src/edges/grpc/timeout.ts';

describe('grpc-timeout', () => {
  it('is read in every unit', () => {
    const values = ['2H', '3M', '4S', '5m', '6000u', '7000000n', '99999999H'];
    expect(values.map(parseTimeoutMs)).toEqual([7_200_000, 180_000, 4000, 5, 6, 7, 359_999_996_400_000]);
  });

  it('is rounded up to whole milliseconds, so that no call ends earlier than its client asked', () => {
    fc.assert(
      fc.property(fc.nat(99_999_999), fc.constantFrom('u', 'n'), (count, unit) => {
        const ms = parseTimeoutMs(`${count}${unit}`) ?? NaN;
        const perMs = unit === 'u' ? 1000 : 1_000_000;
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms * perMs).toBeGreaterThanOrEqual(count);
        expect((ms - 1) * perMs).toBeLessThan(count);
      }),
    );
  });

  it('of any other form is none', () => {
    for (const value of ['', '5', 'S', '-1S', '1.5S', '123456789S', '5 S', '5s', '5Sx', '0x5S']) {
      expect(parseTimeoutMs(value)).toBeUndefined();
    }
  });
});
