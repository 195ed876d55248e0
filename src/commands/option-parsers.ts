import { InvalidArgumentError } from 'commander';
import { parseDurationMs } from '../core/kernel/duration.ts';

// Parsers for commander: what they refuse is a usage error that names the option.

export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const upper = max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`;
    throw new InvalidArgumentError(`Expected a whole number of ${min} ${upper}.`);
  };
}

export const seqNumber: (text: string) => number = wholeNumber(1);
export const portNumber: (text: string) => number = wholeNumber(0, 65_535);

/** An option that may be given several times. */
export function repeated(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** Milliseconds of a moment in RFC 3339: `2026-03-10T09:00:00Z`. */
export function moment(text: string): number {
  const at = momentPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Expected a moment such as 2026-03-10T09:00:00Z.');
  return at;
}

const momentPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i;

/** Milliseconds of a duration: `1m30s`. */
export function duration(text: string): number {
  try {
    return parseDurationMs(text);
  } catch {
    throw new InvalidArgumentError('Expected a duration such as 100ms, 2.5s or 1m30s.');
  }
}
