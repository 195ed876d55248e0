import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  firstTimer,
  noTimers,
  withTimer,
  withoutTimer,
  type Timers,
} from '../../../src/core/kernel/timers.ts';

const step = fc.record({ at: fc.nat(20), id: fc.nat(5), add: fc.boolean() });

test('the first timer is the earliest of those that are set, and of equal moments the lowest id', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let timers: Timers = noTimers;
      const model = new Map<string, { at: number; id: number }>();
      for (const { at, id, add } of steps) {
        timers = add ? withTimer(timers, at, id) : withoutTimer(timers, at, id);
        if (add) model.set(`${at}/${id}`, { at, id });
        else model.delete(`${at}/${id}`);
        const expected = [...model.values()].sort((a, b) => a.at - b.at || a.id - b.id)[0];
        expect(firstTimer(timers)).toEqual(expected);
      }
    }),
  );
});

test('an old value is as it was', () => {
  const one = withTimer(noTimers, 5, 1);
  withTimer(one, 3, 2);
  withoutTimer(one, 5, 1);
  expect(firstTimer(one)).toEqual({ at: 5, id: 1 });
  expect(firstTimer(noTimers)).toBeUndefined();
});
