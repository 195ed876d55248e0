import { TemplateFailure } from './failure.ts';
import { parseDuration } from './duration-text.ts';
import { formatTime, parseTimestamp } from './time-text.ts';
import { Duration, Time, describe, excerpt, type Value } from './values.ts';

const nanosPerMs = 1_000_000n;

export function timeOfMs(ms: number): Time {
  return new Time(BigInt(Math.trunc(ms)) * nanosPerMs);
}

/** A time, or a text in RFC 3339, which is the JSON form of a timestamp. */
export function asTime(value: Value): Time | undefined {
  if (value instanceof Time) return value;
  const nanos = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return nanos === undefined ? undefined : new Time(nanos);
}

export function needTime(value: Value): Time {
  const time = asTime(value);
  if (time === undefined) throw new TemplateFailure(`expected a time, got ${describe(value)}`);
  return time;
}

/** A duration, or a text that is one. */
export function needDuration(value: Value): Duration {
  if (value instanceof Duration) return value;
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined;
  if (nanos === undefined) {
    throw new TemplateFailure(`expected a duration such as "1h30m", got ${describe(value)}`);
  }
  return new Duration(nanos);
}

// The years 1 to 9999, which are those of the JSON form of timestamps.
const timeNanosMin = -62_135_596_800n * 1_000_000_000n;
const timeNanosEnd = 253_402_300_800n * 1_000_000_000n;

export function laterBy(time: Time, duration: Duration): Time {
  return checkedTime(time.nanos + duration.nanos);
}

export function checkedTime(nanos: bigint): Time {
  if (nanos >= timeNanosMin && nanos < timeNanosEnd) return new Time(nanos);
  throw new TemplateFailure('the time is not in the years 1 to 9999');
}

/** As Go prints a time, without a monotonic clock: `2026-01-01 00:00:00 +0000 UTC`. */
export function printedTime(time: Time): string {
  return formatTime(time.nanos, '2006-01-02 15:04:05.999999999 -0700 MST');
}

/** As Go writes a time in JSON. */
export function jsonTime(time: Time): string {
  return formatTime(time.nanos, 'RFC3339Nano');
}

const layoutLengthMax = 1_000;

export function formattedTime(time: Time, layout: Value): string {
  if (typeof layout !== 'string') throw new TemplateFailure(`expected a layout, got ${describe(layout)}`);
  if (layout.length > layoutLengthMax) {
    throw new TemplateFailure(`the layout ${excerpt(layout)} is longer than ${layoutLengthMax} characters`);
  }
  return formatTime(time.nanos, layout);
}

/** RFC 3339, which is the JSON form of a timestamp. */
export function timeText(ms: number): string {
  return jsonTime(timeOfMs(ms));
}
