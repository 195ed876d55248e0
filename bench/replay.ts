// How fast a log is folded, decided again and gone back in.
//
//   node bench/replay.ts [--entries 1000000] [--take FILE]
//
// Without --take, a take is made first: unary calls with one stub in ten that matches, every tenth reply rendered from
// a template, as fast as the log takes them. What is printed: entries per second of folding and of deciding again
// (reading and verifying included), the time to the world at a random seq, and to open the take for serving.
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSimulator, worldAtLog } from '../src/core/simulator/create-simulator.ts';
import { fold } from '../src/core/simulator/reduce.ts';
import { recheck } from '../src/core/simulator/replay.ts';
import { reducerDigest } from '../src/core/simulator/reducer-digest.ts';
import { worldDigest } from '../src/core/simulator/snapshot.ts';
import { submitted } from '../src/core/simulator/simulator.ts';
import { emptyWorld, type World } from '../src/core/simulator/world.ts';
import type { EventLog } from '../src/core/simulator/ports.ts';
import { openSqliteLog } from '../src/edges/sqlite/open-sqlite-log.ts';
import { createSystemClock } from '../src/edges/clock/system-clock.ts';
import { randomnessAt } from '../src/core/kernel/randomness.ts';
import { load, manifest } from '../test/support/simulate.ts';
import { encodeLine, talkDescriptors } from '../test/support/talk-protos.ts';

const { values: options } = parseArgs({
  options: { entries: { type: 'string', default: '1000000' }, take: { type: 'string' } },
});
const count = Number(options.entries);
const folder = mkdtempSync(join(tmpdir(), 'doubletake-bench-'));
const file = options.take ?? join(folder, 'replay.take');

if (!existsSync(file)) await makeTake(file);
await measureFold();
await measureRecheck();
await measureWorlds();
await measureOpening();
rmSync(folder, { recursive: true });

async function makeTake(path: string): Promise<void> {
  const log = openSqliteLog({ file: path, manifest: manifest('system') });
  const simulator = await createSimulator({ log, clock: createSystemClock(), schedule: setImmediate });
  await submitted(simulator, { kind: 'DescriptorsLoaded', source: 'bench', bytes: talkDescriptors });
  await load(
    simulator,
    Array.from({ length: 10 }, (_, index) => stub(index)),
  );
  const messages = Array.from({ length: 10 }, (_, index) =>
    encodeLine({ text: `caller ${index}`, number: index }),
  );
  const headers = [
    ['user-agent', 'grpc-node-js/1.14.7'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ] as const;
  const started = performance.now();
  await new Promise<void>((resolve) => {
    let sent = 0;
    let settled = 0;
    const next = (): void => {
      sent += 1;
      const bytes = messages[sent % 10] ?? new Uint8Array();
      simulator.submit(
        { kind: 'CallOpened', method: '/talk.v1.Talk/Say', session: '', headers, bytes },
        () => {
          settled += 1;
          if (settled === count) resolve();
          else if (sent < count) next();
        },
      );
    };
    for (let index = 0; index < Math.min(64, count); index += 1) next();
  });
  report('taken in, decided, durable', count, started);
  await simulator.stop();
}

function stub(index: number) {
  const text = index === 0 ? 'Hello {{.Request.text}}' : `Hello ${index}`;
  return { input: { equals: { number: index } }, output: { data: { text, number: index } } };
}

async function measureFold(): Promise<void> {
  const log = openForReading();
  const started = performance.now();
  const world = await eachPage(log, emptyWorld(log.manifest), fold);
  report('folded', log.head.seq, started);
  console.log(`  world ${worldDigest(world)}, peak memory ${peakMegabytes()} MB`);
  await log.close();
}

async function measureRecheck(): Promise<void> {
  const log = openForReading();
  const started = performance.now();
  await eachPage(log, emptyWorld(log.manifest), (world, entries) => {
    const { world: next, divergence } = recheck(world, entries);
    if (divergence !== undefined) throw new Error(JSON.stringify(divergence));
    return next;
  });
  report('decided again', log.head.seq, started);
  await log.close();
}

async function eachPage(
  log: EventLog,
  start: World,
  step: (world: World, entries: Awaited<ReturnType<EventLog['read']>>) => World,
): Promise<World> {
  let world = start;
  for (;;) {
    const entries = await log.read(world.seq + 1, 1000);
    if (entries.length === 0) return world;
    world = step(world, entries);
  }
}

async function measureWorlds(): Promise<void> {
  const log = openForReading();
  const randomness = randomnessAt('bench', 1);
  const times: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    const seq = randomness.integer(1, log.head.seq);
    const started = performance.now();
    await worldAtLog(log, seq);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1);
  console.log(
    `world at a random seq of ${log.head.seq}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.9999)} ms`,
  );
  await log.close();
}

async function measureOpening(): Promise<void> {
  const started = performance.now();
  const log = openSqliteLog({ file, reducerDigest });
  const simulator = await createSimulator({ log, clock: createSystemClock(), schedule: setImmediate });
  console.log(
    `opened for serving at entry ${simulator.world().seq}: ${(performance.now() - started).toFixed(0)} ms`,
  );
  await simulator.stop();
}

function openForReading(): EventLog {
  return openSqliteLog({ file, readOnly: true, reducerDigest });
}

function report(what: string, entries: number, started: number): void {
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${what}: ${Math.round(entries / seconds).toLocaleString('en')} entries/s (${entries} in ${seconds.toFixed(2)} s)`,
  );
}

function peakMegabytes(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
