/** A moment in the Gregorian calendar, UTC. */
export interface CalendarTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  /** 1 to 366. */
  readonly dayOfYear: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Nanoseconds within the second. */
  readonly nanos: number;
}

export const nanosPerSecond = 1_000_000_000n;
const secondsPerDay = 86_400;

export function calendarTime(nanos: bigint): CalendarTime {
  const seconds = Number(floorDivide(nanos, nanosPerSecond));
  const days = Math.floor(seconds / secondsPerDay);
  const inDay = seconds - days * secondsPerDay;
  const { year, month, day } = dateOfDays(days);
  return {
    year,
    month,
    day,
    dayOfYear: days - daysOfDate(year, 1, 1) + 1,
    weekday: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(inDay / 3600),
    minute: Math.floor(inDay / 60) % 60,
    second: inDay % 60,
    nanos: Number(nanos - BigInt(seconds) * nanosPerSecond),
  };
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Days since 1970-01-01; months and days outside their ranges count on. */
export function daysOfDate(year: number, month: number, day: number): number {
  const years = year + Math.floor((month - 1) / 12);
  const months = (((month - 1) % 12) + 12) % 12;
  // Years begin in March here, so that the leap day is the last of its year.
  const marchYear = months < 2 ? years - 1 : years;
  const marchMonth = (months + 10) % 12;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysPerEra + dayOfEra - daysToEpoch + day - 1;
}

/** 400 years. */
const daysPerEra = 146_097;
/** From 0000-03-01 to 1970-01-01. */
const daysToEpoch = 719_468;

function dateOfDays(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + daysToEpoch;
  const era = Math.floor(shifted / daysPerEra);
  const dayOfEra = shifted - era * daysPerEra;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** Nanoseconds since 1970-01-01T00:00:00Z. */
export function nanosOf(days: number, secondsInDay: number, nanos: number): bigint {
  return BigInt(days * secondsPerDay + secondsInDay) * nanosPerSecond + BigInt(nanos);
}
