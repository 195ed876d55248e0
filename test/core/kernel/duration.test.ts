import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  durationMsMax,
  durationTextMax,
  formatDuration,
  parseDurationMs,
} from '../../../src/core/kernel/duration.ts';

test('what is formatted parses to the same duration', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: durationMsMax }), (durationMs) => {
      expect(parseDurationMs(formatDuration(durationMs))).toBe(durationMs);
    }),
  );
});

test('groups add up, whatever their order', () => {
  const group = fc
    .tuple(fc.integer({ min: 0, max: 9999 }), fc.constantFrom('ms', 's', 'm', 'h'))
    .map(([n, u]) => `${n}${u}`);
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 10 }), (groups) => {
      const sum = groups.reduce((total, text) => total + parseDurationMs(text), 0);
      expect(parseDurationMs(groups.join(''))).toBe(sum);
      expect(parseDurationMs(groups.toReversed().join(''))).toBe(sum);
    }),
  );
});

test('fractions are exact decimals, and the sum is rounded half up', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.integer({ min: 0, max: 9_999_999 }),
      (whole, millionths) => {
        const text = `${whole}.${String(millionths).padStart(7, '0')}s`;
        const tenthsOfMicroseconds = BigInt(whole) * 10_000_000n + BigInt(millionths);
        expect(parseDurationMs(text)).toBe(Number((tenthsOfMicroseconds + 5_000n) / 10_000n));
      },
    ),
  );
});

test.each([
  ['100ms', 100],
  ['2.5s', 2_500],
  ['1m', 60_000],
  ['1m30s', 90_000],
  ['1h2m3s4ms', 3_723_004],
  ['0ms', 0],
  ['0.5ms', 1],
  ['0.49ms', 0],
  ['0.4ms0.4ms', 1],
  ['1.0005s', 1_001],
  ['007s', 7_000],
])('%s is %i ms', (text, durationMs) => {
  expect(parseDurationMs(text)).toBe(durationMs);
});

test.each([
  [0, '0ms'],
  [90_000, '1m30s'],
  [86_400_000, '24h'],
  [3_723_004, '1h2m3s4ms'],
])('%i ms is written %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

describe('what is no duration is refused with what was expected', () => {
  test.each(['', '5', 's', '1 s', '-1s', '1.s', '.5s', '1d', '1S', '1s ', '1e3ms', '١s'])('%j', (text) => {
    expect(() => parseDurationMs(text)).toThrow(`such as "1m30s", got ${JSON.stringify(text)}`);
  });

  test('what is longer than a hundred years', () => {
    expect(parseDurationMs('876000h')).toBe(durationMsMax);
    expect(() => parseDurationMs('876000h1ms')).toThrow('must be at most 100 years (876000h)');
    expect(() => parseDurationMs(`${'9'.repeat(90)}h`)).toThrow('must be at most 100 years');
  });

  test('a text of megabytes', () => {
    expect(() => parseDurationMs('1s'.repeat(1_000_000))).toThrow(
      `must be at most ${durationTextMax} characters`,
    );
  });
});
