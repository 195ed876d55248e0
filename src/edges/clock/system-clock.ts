import type { Clock } from '../../core/simulator/ports.ts';

/** The longest that a timer of Node can wait; a later alarm is set again on the way. */
const timerMsMax = 2 ** 31 - 1;

/** The wall clock. Its alarm does not keep the process alive. */
export function createSystemClock(): Clock {
  let timer: NodeJS.Timeout | undefined;

  function setAlarm(at: number | undefined, ring: () => void): void {
    clearTimeout(timer);
    timer = undefined;
    if (at === undefined) return;
    const waitMs = at - Date.now();
    timer =
      waitMs > timerMsMax
        ? setTimeout(() => setAlarm(at, ring), timerMsMax)
        : setTimeout(() => (Date.now() < at ? setAlarm(at, ring) : ring()), Math.max(0, waitMs));
    timer.unref();
  }

  return { now: () => Date.now(), setAlarm };
}
