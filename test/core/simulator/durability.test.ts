import { expect, test } from 'vitest';
import { createSimulator, snapshotEntriesMin } from '../../../src/core/simulator/create-simulator.ts';
import type { Input } from '../../../src/core/simulator/events.ts';
import { LogFailure, type EventLog } from '../../../src/core/simulator/ports.ts';
import { submitted, type Settlement, type Simulator } from '../../../src/core/simulator/simulator.ts';
import { worldDigest } from '../../../src/core/simulator/snapshot.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { failingLog } from '../../support/failing-log.ts';
import { handClock, manifest } from '../../support/simulate.ts';
import { slowLog } from '../../support/slow-log.ts';
import { talkDescriptors } from '../../support/talk-protos.ts';

const tick: Input = { kind: 'ClockModeChanged', mode: 'virtual' };

function simulatorOn(log: EventLog): Promise<Simulator> {
  return createSimulator({ log, clock: handClock(), schedule: setImmediate });
}

function inMemory(): EventLog {
  return openSqliteLog({ manifest: manifest() });
}

test('nobody hears of an entry before its flush has succeeded', async () => {
  const log = slowLog(inMemory());
  const simulator = await simulatorOn(log);
  const heard: string[] = [];
  simulator.onCommitted((entry) => heard.push(`committed ${entry.seq}`));
  const seq = simulator.submit(tick, ({ ok }) => heard.push(`settled ${ok}`));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(heard).toEqual([]);
  expect(simulator.world().seq).toBe(seq);
  await log.settle();
  expect(heard).toEqual(['settled true', `committed ${seq}`]);
});

test('inputs that come while a flush is under way go into the next one', async () => {
  const log = slowLog(inMemory());
  const simulator = await simulatorOn(log);
  const settled: number[] = [];
  const submit = () =>
    simulator.submit(tick, (settlement) => settlement.ok && settled.push(settlement.entry.seq));
  submit();
  await new Promise(setImmediate);
  submit();
  submit();
  await log.settle();
  expect(settled).toEqual([1]);
  await log.settle();
  expect(settled).toEqual([1, 2, 3]);
});

test('a flush that fails takes the world back to what is durable, with everything decided on top of it', async () => {
  const log = slowLog(inMemory());
  const simulator = await simulatorOn(log);
  simulator.submit(tick);
  await log.settle();
  const durable = worldDigest(simulator.world());
  const settlements: Settlement[] = [];
  const load: Input = { kind: 'DescriptorsLoaded', source: 'test', bytes: talkDescriptors };
  simulator.submit(load, (settlement) => settlements.push(settlement));
  await new Promise(setImmediate);
  simulator.submit(tick, (settlement) => settlements.push(settlement));
  await log.settle(new LogFailure('DT_LOG_FULL', 'no room left'));
  expect(settlements).toMatchObject([
    { ok: false, failure: { code: 'DT_LOG_FULL' } },
    { ok: false, failure: { code: 'DT_LOG_FULL' } },
  ]);
  expect(worldDigest(simulator.world())).toBe(durable);
  expect(simulator.trouble()?.code).toBe('DT_LOG_FULL');
});

test('when there is room again the simulator goes on, and gives the refused seq to the next entry', async () => {
  let full = false;
  const simulator = await simulatorOn(failingLog(inMemory(), () => full));
  await submitted(simulator, tick);
  full = true;
  await expect(submitted(simulator, tick)).rejects.toMatchObject({ code: 'DT_LOG_FULL' });
  full = false;
  const entry = await submitted(simulator, tick);
  expect(entry.seq).toBe(2);
  expect(simulator.trouble()).toBeUndefined();
  expect((await simulator.entries(1, 10)).map(({ seq }) => seq)).toEqual([1, 2]);
});

test('stopping flushes what was taken in, and refuses what comes after', async () => {
  const simulator = await simulatorOn(inMemory());
  const before = submitted(simulator, tick);
  const stopped = simulator.stop();
  const after = submitted(simulator, tick);
  await expect(before).resolves.toMatchObject({ seq: 1 });
  await expect(after).rejects.toMatchObject({ code: 'DT_LOG_CLOSED' });
  await stopped;
});

test('a snapshot that finds no room is given up: nobody hears of it, and stopping closes the log', async () => {
  const log = inMemory();
  let isClosed = false;
  const simulator = await simulatorOn({
    ...failingLog(log, () => false),
    get head() {
      return log.head;
    },
    saveSnapshot() {
      throw new LogFailure('DT_LOG_FULL', 'no room left');
    },
    close() {
      isClosed = true;
      return log.close();
    },
  });
  const settlements: boolean[] = [];
  for (let count = 1; count <= snapshotEntriesMin; count += 1) {
    simulator.submit(tick, ({ ok }) => settlements.push(ok));
  }
  await submitted(simulator, tick);
  expect(settlements).toEqual(Array.from({ length: snapshotEntriesMin }, () => true));
  expect(simulator.trouble()).toBeUndefined();
  await submitted(simulator, tick);
  await simulator.stop();
  expect(isClosed).toBe(true);
});
