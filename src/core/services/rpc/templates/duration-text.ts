/** Go's form of durations, such as `1h2m3.5s`, with nanoseconds as the smallest step. */

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** Go's durations end here: about 292 years. */
const durationNanosMax = 2n ** 63n - 1n;
const durationTextMax = 100;

const groupPattern = /(\d*)(?:\.(\d*))?([a-zµμ]+)/y;

/** `undefined` for what is not a duration. */
export function parseDuration(text: string): bigint | undefined {
  const unsigned = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '' || unsigned.length > durationTextMax) return undefined;
  let nanos = 0n;
  let position = 0;
  while (position < unsigned.length) {
    groupPattern.lastIndex = position;
    const group = groupPattern.exec(unsigned);
    if (group === null) return undefined;
    const part = groupNanos(group[1] ?? '', group[2] ?? '', group[3] ?? '');
    if (part === undefined) return undefined;
    nanos += part;
    position = groupPattern.lastIndex;
  }
  if (nanos > durationNanosMax) return undefined;
  return text.startsWith('-') ? -nanos : nanos;
}

function groupNanos(whole: string, fraction: string, unit: string): bigint | undefined {
  const nanos = unitNanos.get(unit);
  if (nanos === undefined || whole + fraction === '') return undefined;
  return (BigInt(whole + fraction) * nanos) / 10n ** BigInt(fraction.length);
}

/** `count` of a unit, such as 1.5 and `s`; `undefined` when the unit is not known or the number too large. */
export function durationOf(count: number | bigint, unit: string): bigint | undefined {
  const nanos = unitNanos.get(unit);
  if (nanos === undefined) return undefined;
  const exact = typeof count === 'bigint' ? count * nanos : floatNanos(count * Number(nanos));
  return exact === undefined || exact > durationNanosMax || exact < -durationNanosMax ? undefined : exact;
}

function floatNanos(nanos: number): bigint | undefined {
  return Number.isFinite(nanos) ? BigInt(Math.trunc(nanos)) : undefined;
}

/** As Go prints durations: `1h2m3.5s`, `1.5ms`, `0s`. */
export function durationText(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size === 0n) return '0s';
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${fractional(size, 1_000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${fractional(size, 1_000_000n)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${fractional(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function fractional(nanos: bigint, unit: bigint): string {
  const rest = nanos % unit;
  if (rest === 0n) return String(nanos / unit);
  const digits = String(rest).padStart(String(unit).length - 1, '0');
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return `${nanos / unit}.${digits.slice(0, end)}`;
}
