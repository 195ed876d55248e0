/** What a duration looks like: numbers with units, one after the other. Units: ms, s, m, h. */
export const durationPattern = '^(\\d+(\\.\\d+)?(ms|s|m|h))+$';

/** The longest text that is read as a duration, in UTF-16 code units. */
export const durationTextMax = 100;

/** A hundred years of 365 days, in milliseconds: the longest duration. */
export const durationMsMax = 100 * 365 * 24 * 60 * 60 * 1000;

const wholeDuration = new RegExp(durationPattern);
const groups = /(\d+)(?:\.(\d+))?(ms|s|m|h)/g;
const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/**
 * Whole milliseconds of a text such as `100ms`, `2.5s` or `1m30s`. The groups are added up, and the sum is rounded half up:
 * `0.5ms` is 1. Throws a `RangeError` that says what is wrong with the text, for one of another form or a duration above
 * `durationMsMax`.
 */
export function parseDurationMs(text: string): number {
  if (text.length > durationTextMax)
    throw new RangeError(`must be at most ${durationTextMax} characters long`);
  if (!wholeDuration.test(text)) {
    throw new RangeError(
      `must be numbers with the units ms, s, m, h, such as "1m30s", got ${JSON.stringify(text)}`,
    );
  }
  const durationMs = text.includes('.') ? exactSum(text) : plainSum(text);
  if (durationMs > durationMsMax)
    throw new RangeError(`must be at most 100 years (${formatDuration(durationMsMax)}), got ${text}`);
  return durationMs;
}

/** The shortest text that `parseDurationMs` reads as `durationMs` (an integer from 0): `90000` is `1m30s`. */
export function formatDuration(durationMs: number): string {
  let rest = durationMs;
  let text = '';
  for (const [unit, size] of [...unitMs].reverse()) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0ms' : text;
}

function plainSum(text: string): number {
  let sum = 0;
  for (const [, whole = '', , unit = ''] of text.matchAll(groups)) sum += Number(whole) * sizeOf(unit);
  return sum;
}

// In binary floating point 1.0005 s is a little less than 1000.5 ms, and would be rounded the wrong way.
function exactSum(text: string): number {
  const scale = 10n ** BigInt(durationTextMax);
  let sum = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(groups)) {
    const shift = 10n ** BigInt(durationTextMax - fraction.length);
    sum += BigInt(whole + fraction) * shift * BigInt(sizeOf(unit));
  }
  return Number((sum * 2n + scale) / (scale * 2n));
}

function sizeOf(unit: string): number {
  return unitMs.get(unit) ?? 0;
}
