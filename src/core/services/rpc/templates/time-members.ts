import {
  calendarTime,
  daysOfDate,
  floorDivide,
  nanosOf,
  nanosPerSecond,
  type CalendarTime,
} from './calendar.ts';
import { durationText } from './duration-text.ts';
import { TemplateFailure } from './failure.ts';
import { needIndex } from './numbers.ts';
import { monthName, weekdayName } from './time-text.ts';
import { checkedTime, formattedTime, laterBy, needDuration, needTime, printedTime } from './times.ts';
import { Duration, excerpt, type Time, type Value } from './values.ts';

/** The methods of Go's `time.Time` and `time.Duration` that templates use. */

interface Member<Owner> {
  readonly arguments: number;
  readonly evaluate: (owner: Owner, args: readonly Value[]) => Value;
}

const timeMembers: ReadonlyMap<string, Member<Time>> = new Map<string, Member<Time>>([
  ['Format', { arguments: 1, evaluate: (time, [layout = null]) => formattedTime(time, layout) }],
  ['Unix', { arguments: 0, evaluate: (time) => floorDivide(time.nanos, nanosPerSecond) }],
  ['UnixMilli', { arguments: 0, evaluate: (time) => floorDivide(time.nanos, 1_000_000n) }],
  ['UnixMicro', { arguments: 0, evaluate: (time) => floorDivide(time.nanos, 1_000n) }],
  ['UnixNano', { arguments: 0, evaluate: (time) => time.nanos }],
  ['Add', { arguments: 1, evaluate: (time, [by = null]) => laterBy(time, needDuration(by)) }],
  ['AddDate', { arguments: 3, evaluate: addDate }],
  [
    'Sub',
    { arguments: 1, evaluate: (time, [from = null]) => new Duration(time.nanos - needTime(from).nanos) },
  ],
  ['Before', { arguments: 1, evaluate: (time, [other = null]) => time.nanos < needTime(other).nanos }],
  ['After', { arguments: 1, evaluate: (time, [other = null]) => time.nanos > needTime(other).nanos }],
  ['Equal', { arguments: 1, evaluate: (time, [other = null]) => time.nanos === needTime(other).nanos }],
  ['UTC', { arguments: 0, evaluate: (time) => time }],
  ['String', { arguments: 0, evaluate: printedTime }],
  ['Year', calendarMember((time) => time.year)],
  ['Month', { arguments: 0, evaluate: (time) => monthName(calendarTime(time.nanos).month) }],
  ['Day', calendarMember((time) => time.day)],
  ['YearDay', calendarMember((time) => time.dayOfYear)],
  ['Weekday', { arguments: 0, evaluate: (time) => weekdayName(calendarTime(time.nanos).weekday) }],
  ['Hour', calendarMember((time) => time.hour)],
  ['Minute', calendarMember((time) => time.minute)],
  ['Second', calendarMember((time) => time.second)],
  ['Nanosecond', calendarMember((time) => time.nanos)],
]);

const durationMembers: ReadonlyMap<string, Member<Duration>> = new Map<string, Member<Duration>>([
  ['Hours', { arguments: 0, evaluate: (duration) => Number(duration.nanos) / 3.6e12 }],
  ['Minutes', { arguments: 0, evaluate: (duration) => Number(duration.nanos) / 6e10 }],
  ['Seconds', { arguments: 0, evaluate: (duration) => Number(duration.nanos) / 1e9 }],
  ['Milliseconds', { arguments: 0, evaluate: (duration) => duration.nanos / 1_000_000n }],
  ['Microseconds', { arguments: 0, evaluate: (duration) => duration.nanos / 1_000n }],
  ['Nanoseconds', { arguments: 0, evaluate: (duration) => duration.nanos }],
  ['String', { arguments: 0, evaluate: (duration) => durationText(duration.nanos) }],
]);

export function timeMember(time: Time, name: string, args: readonly Value[]): Value {
  return callMember(timeMembers, 'a time', time, name, args);
}

export function durationMember(duration: Duration, name: string, args: readonly Value[]): Value {
  return callMember(durationMembers, 'a duration', duration, name, args);
}

function callMember<Owner>(
  members: ReadonlyMap<string, Member<Owner>>,
  title: string,
  owner: Owner,
  name: string,
  args: readonly Value[],
): Value {
  const member = members.get(name);
  if (member === undefined) throw new TemplateFailure(`${title} has no field ${excerpt(name)}`);
  if (args.length !== member.arguments) {
    throw new TemplateFailure(`${name} of ${title} takes ${member.arguments} arguments, got ${args.length}`);
  }
  return member.evaluate(owner, args);
}

function calendarMember(part: (time: CalendarTime) => number): Member<Time> {
  return { arguments: 0, evaluate: (time) => BigInt(part(calendarTime(time.nanos))) };
}

const calendarStepMax = 1_000_000;

function addDate(time: Time, args: readonly Value[]): Time {
  const [years = 0, months = 0, days = 0] = args.map(needIndex);
  if ([years, months, days].some((step) => Math.abs(step) > calendarStepMax)) throw outOfYears();
  const { year, month, day, hour, minute, second, nanos } = calendarTime(time.nanos);
  const date = daysOfDate(year + years, month + months, day + days);
  return checkedTime(nanosOf(date, (hour * 60 + minute) * 60 + second, nanos));
}

function outOfYears(): TemplateFailure {
  return new TemplateFailure(`AddDate takes at most ${calendarStepMax} years, months or days`);
}
