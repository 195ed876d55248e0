import { floorDivide, nanosPerSecond } from './calendar.ts';
import { durationOf } from './duration-text.ts';
import { TemplateFailure } from './failure.ts';
import { ofOne, subjectFirst, takes, type FunctionTable } from './function.ts';
import { asNumber } from './numbers.ts';
import { formattedTime, needDuration, needTime, timeOfMs } from './times.ts';
import { Duration, Time, describe, type Value } from './values.ts';

/** Times, on the log's clock. */
export const timeFunctions: FunctionTable = {
  now: takes(0, 0, (_, { environment }) => timeOfMs(environment.now)),
  unix: ofOne((time) => floorDivide(needTime(time).nanos, nanosPerSecond)),
  format: takes(2, 2, (args, rendering) => {
    const [first = null, second = null] = args;
    if (first instanceof Time) return formattedTime(first, second);
    if (second instanceof Time) return formattedTime(second, first);
    const [time = null, layout = null] = subjectFirst(args, rendering);
    return formattedTime(needTime(time), layout);
  }),
  duration: takes(1, 2, ([first = null, second]) => duration(first, second)),
};

/** `duration "1h2m"`, `duration 1500` in milliseconds, `duration 5 "s"`; the unit may come first, for pipes. */
function duration(first: Value, second: Value | undefined): Duration {
  const count = asNumber(first);
  if (count !== undefined) return durationIn(count, second ?? 'ms');
  if (second === undefined) return needDuration(first);
  const piped = asNumber(second);
  if (piped === undefined) throw new TemplateFailure(`expected a number, got ${describe(second)}`);
  return durationIn(piped, first);
}

function durationIn(count: number | bigint, unit: Value): Duration {
  const nanos = typeof unit === 'string' ? durationOf(count, unit) : undefined;
  if (nanos === undefined) throw new TemplateFailure(`${count} ${describe(unit)} is not a duration`);
  return new Duration(nanos);
}
