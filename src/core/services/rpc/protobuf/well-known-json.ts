import { protoCamelCase, protoSnakeCase } from '@bufbuild/protobuf/reflect';

// The text forms of the well-known types (https://protobuf.dev/programming-guides/json/), exact to the nanosecond.

export interface SecondsAndNanos {
  readonly seconds: bigint;
  readonly nanos: number;
}

const secondsPerDay = 86_400;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const timestampSecondsMin = -62_135_596_800;
const timestampSecondsMax = 253_402_300_799;
const durationSecondsMax = 315_576_000_000;

const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The instant of an RFC 3339 text, or `undefined`. */
export function timestampFromText(text: string): SecondsAndNanos | undefined {
  const parts = timestampPattern.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const [, , , , , , , fraction = '', sign = '+', offsetHours = '0', offsetMinutes = '0'] = parts;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || Number(offsetHours) > 23 || Number(offsetMinutes) > 59)
    return undefined;
  const offset = (sign === '-' ? -60 : 60) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const seconds =
    daysFromCivil(year, month, day) * secondsPerDay + hour * 3600 + minute * 60 + second - offset;
  return isTimestamp(seconds)
    ? { seconds: BigInt(seconds), nanos: Number(fraction.padEnd(9, '0')) }
    : undefined;
}

/** RFC 3339 in UTC with 0, 3, 6 or 9 digits of a second; `undefined` for what is no valid timestamp. */
export function timestampText(instant: SecondsAndNanos): string | undefined {
  const seconds = Number(instant.seconds);
  if (!isTimestamp(seconds) || instant.nanos < 0 || instant.nanos > 999_999_999) return undefined;
  const days = Math.floor(seconds / secondsPerDay);
  const rest = seconds - days * secondsPerDay;
  const { year, month, day } = civilFromDays(days);
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  const time = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60]
    .map((part) => padded(part, 2))
    .join(':');
  return `${date}T${time}${fractionText(instant.nanos)}Z`;
}

function isTimestamp(seconds: number): boolean {
  return seconds >= timestampSecondsMin && seconds <= timestampSecondsMax;
}

/** The duration of a text such as `3.5s` or `-0.1s`, or `undefined`. */
export function durationFromText(text: string): SecondsAndNanos | undefined {
  const parts = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = '0', fraction = ''] = parts;
  const direction = sign === '-' ? -1 : 1;
  const seconds = Number(whole);
  const nanos = Number(fraction.padEnd(9, '0'));
  if (seconds > durationSecondsMax) return undefined;
  // Adding 0 turns -0 into 0.
  return { seconds: BigInt(direction * seconds), nanos: direction * nanos + 0 };
}

/** `3s`, `3.500s`, `-0.000000001s`; `undefined` for what is no valid duration. */
export function durationText(duration: SecondsAndNanos): string | undefined {
  const { nanos } = duration;
  const seconds = Number(duration.seconds);
  if (Math.abs(seconds) > durationSecondsMax || Math.abs(nanos) > 999_999_999 || seconds * nanos < 0)
    return undefined;
  const sign = seconds < 0 || nanos < 0 ? '-' : '';
  return `${sign}${Math.abs(seconds)}${fractionText(Math.abs(nanos))}s`;
}

/** Paths of a comma-separated text of lowerCamelCase paths; snake_case stays as it is. */
export function fieldMaskFromText(text: string): string[] {
  return text === '' ? [] : text.split(',').map((path) => (path.includes('_') ? path : protoSnakeCase(path)));
}

/** `undefined` when a path would not come back the same. */
export function fieldMaskText(paths: readonly string[]): string | undefined {
  const camel = paths.map(protoCamelCase);
  return camel.every((path, index) => protoSnakeCase(path) === paths[index]) ? camel.join(',') : undefined;
}

function fractionText(nanos: number): string {
  if (nanos === 0) return '';
  const digits = padded(nanos, 9);
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`;
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

// The proleptic Gregorian calendar as days since 1970-01-01, counted in eras of 400 years that begin in March
// (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
} {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1 };
}
