import { calendarTime, daysOfDate, nanosOf, type CalendarTime } from './calendar.ts';

/** Layouts that Go's package `time` has names for. */
const namedLayouts: ReadonlyMap<string, string> = new Map([
  ['Layout', "01/02 03:04:05PM '06 -0700"],
  ['ANSIC', 'Mon Jan _2 15:04:05 2006'],
  ['UnixDate', 'Mon Jan _2 15:04:05 MST 2006'],
  ['RubyDate', 'Mon Jan 02 15:04:05 -0700 2006'],
  ['RFC822', '02 Jan 06 15:04 MST'],
  ['RFC822Z', '02 Jan 06 15:04 -0700'],
  ['RFC850', 'Monday, 02-Jan-06 15:04:05 MST'],
  ['RFC1123', 'Mon, 02 Jan 2006 15:04:05 MST'],
  ['RFC1123Z', 'Mon, 02 Jan 2006 15:04:05 -0700'],
  ['RFC3339', '2006-01-02T15:04:05Z07:00'],
  ['RFC3339Nano', '2006-01-02T15:04:05.999999999Z07:00'],
  ['Kitchen', '3:04PM'],
  ['Stamp', 'Jan _2 15:04:05'],
  ['StampMilli', 'Jan _2 15:04:05.000'],
  ['StampMicro', 'Jan _2 15:04:05.000000'],
  ['StampNano', 'Jan _2 15:04:05.000000000'],
  ['DateTime', '2006-01-02 15:04:05'],
  ['DateOnly', '2006-01-02'],
  ['TimeOnly', '15:04:05'],
]);

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function monthName(month: number): string {
  return monthNames[month - 1] ?? '';
}

export function weekdayName(weekday: number): string {
  return weekdayNames[weekday] ?? '';
}

type Field = (time: CalendarTime) => string;

// What Go's reference time has in each place; where one begins like another, the longer stands first. The zone is
// always UTC, which Go writes as `Z`, as zeros or as `UTC`, as the layout asks.
const fields: readonly (readonly [mark: string, field: Field])[] = [
  ['January', (time) => monthName(time.month)],
  ['Jan', (time) => monthName(time.month).slice(0, 3)],
  ['Monday', (time) => weekdayName(time.weekday)],
  ['Mon', (time) => weekdayName(time.weekday).slice(0, 3)],
  ['MST', () => 'UTC'],
  ['2006', (time) => yearText(time.year)],
  ['__2', (time) => String(time.dayOfYear).padStart(3, ' ')],
  ['_2', (time) => String(time.day).padStart(2, ' ')],
  ['002', (time) => String(time.dayOfYear).padStart(3, '0')],
  ['01', (time) => twoDigits(time.month)],
  ['02', (time) => twoDigits(time.day)],
  ['03', (time) => twoDigits(clockHour(time.hour))],
  ['04', (time) => twoDigits(time.minute)],
  ['05', (time) => twoDigits(time.second)],
  ['06', (time) => twoDigits(time.year % 100)],
  ['15', (time) => twoDigits(time.hour)],
  ['PM', (time) => (time.hour < 12 ? 'AM' : 'PM')],
  ['pm', (time) => (time.hour < 12 ? 'am' : 'pm')],
  ['-07:00:00', () => '+00:00:00'],
  ['-07:00', () => '+00:00'],
  ['-070000', () => '+000000'],
  ['-0700', () => '+0000'],
  ['-07', () => '+00'],
  ['Z07:00:00', () => 'Z'],
  ['Z07:00', () => 'Z'],
  ['Z070000', () => 'Z'],
  ['Z0700', () => 'Z'],
  ['Z07', () => 'Z'],
  ['1', (time) => String(time.month)],
  ['2', (time) => String(time.day)],
  ['3', (time) => String(clockHour(time.hour))],
  ['4', (time) => String(time.minute)],
  ['5', (time) => String(time.second)],
];

// By first character, because most characters of a layout begin nothing.
const fieldsByStart: ReadonlyMap<string, typeof fields> = Map.groupBy(fields, ([mark]) => mark.charAt(0));

/** Writes a time as Go's `Format`: `layout` says how 2006-01-02 15:04:05 would look, or is the name of one. */
export function formatTime(nanos: bigint, layout: string): string {
  const time = calendarTime(nanos);
  const pattern = namedLayouts.get(layout) ?? layout;
  let text = '';
  let position = 0;
  while (position < pattern.length) {
    const { length, written } = writtenAt(pattern, position, time);
    text += written;
    position += length;
  }
  return text;
}

function writtenAt(
  pattern: string,
  at: number,
  time: CalendarTime,
): { readonly length: number; readonly written: string } {
  const start = pattern.charAt(at);
  const fraction = start === '.' || start === ',' ? fractionLength(pattern, at) : 0;
  if (fraction > 0) {
    return { length: fraction, written: fractionText(pattern.slice(at, at + fraction), time.nanos) };
  }
  // `_2006` is an underscore and a year, not a day.
  if (pattern.startsWith('_2006', at)) return { length: 1, written: '_' };
  const found = fieldsByStart
    .get(start)
    ?.find(([mark]) => pattern.startsWith(mark, at) && !isWordGoingOn(pattern, at, mark));
  if (found === undefined) return { length: 1, written: start };
  return { length: found[0].length, written: found[1](time) };
}

// Go reads `Jan` and `Mon` only where no lower-case letter follows: `Month` is a word.
function isWordGoingOn(pattern: string, at: number, mark: string): boolean {
  return (mark === 'Jan' || mark === 'Mon') && isLowerCase(pattern.charCodeAt(at + mark.length));
}

function isLowerCase(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

/** The length of `.000` or `.999` (or with a comma) at `at`, when no other digit follows; else 0. */
function fractionLength(pattern: string, at: number): number {
  const digit = pattern.charAt(at + 1);
  if (digit !== '0' && digit !== '9') return 0;
  let end = at + 1;
  while (pattern.charAt(end) === digit) end += 1;
  const next = pattern.charCodeAt(end);
  return next >= 0x30 && next <= 0x39 ? 0 : end - at;
}

function fractionText(mark: string, nanos: number): string {
  const digits = String(nanos)
    .padStart(9, '0')
    .slice(0, mark.length - 1)
    .padEnd(mark.length - 1, '0');
  if (mark.charAt(1) === '0') return mark.charAt(0) + digits;
  const kept = withoutLastZeros(digits);
  return kept === '' ? '' : mark.charAt(0) + kept;
}

function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0');
}

function clockHour(hour: number): number {
  return hour % 12 === 0 ? 12 : hour % 12;
}

const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Reads RFC 3339, the JSON form of timestamps; nanoseconds since 1970-01-01T00:00:00Z. */
export function parseTimestamp(text: string): bigint | undefined {
  const parts = timestampPattern.exec(text);
  if (parts === null) return undefined;
  const number = (index: number): number => Number(parts[index] ?? '0');
  const offset = (number(9) * 60 + number(10)) * 60 * (parts[8] === '-' ? -1 : 1);
  const seconds = (number(4) * 60 + number(5)) * 60 + number(6) - offset;
  const nanos = Number((parts[7] ?? '').padEnd(9, '0'));
  return nanosOf(daysOfDate(number(1), number(2), number(3)), seconds, nanos);
}
