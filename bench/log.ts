// How many entries per second the log takes and gives back, beside bare better-sqlite3 in the same run.
//
//     node bench/log.ts [folder for the files]
//
// `1 in flight`: each flush covers one entry; `64 in flight`: 64. Bare is the same rows and the same transactions, without
// encoding, hash chain, anchor and checkpoints. Rounds alternate, so that a busy machine is busy for both.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { LogEntry } from '../src/core/simulator/events.ts';
import type { EventLog } from '../src/core/simulator/ports.ts';
import { openSqliteLog, type Durability } from '../src/edges/sqlite/open-sqlite-log.ts';

const roundMs = 300;
const rounds = 3;
const readBackEntries = 200_000;

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'doubletake-bench-'));
const manifest = {
  format: 1,
  seed: 'bench',
  clock: { mode: 'system' as const, startAt: 0 },
  reducerDigest: 'bench',
  compat: [],
};

interface Writer {
  write(entries: number): void | Promise<void>;
  close(): void | Promise<void>;
}

console.log('entries per second (about 600 bytes each)\n');
console.log('durability  in flight       log      bare   ratio');
for (const durability of ['process', 'power'] as const) {
  for (const inFlight of [1, 64]) await compare(durability, inFlight);
}
await readBack();
rmSync(folder, { recursive: true });

async function compare(durability: Durability, inFlight: number): Promise<void> {
  const ours = ourWriter(durability, inFlight);
  const bare = bareWriter(durability, inFlight);
  let [log, plain] = [0, 0];
  for (let round = 0; round <= rounds; round += 1) {
    const [a, b] = [await perSecond(ours, inFlight), await perSecond(bare, inFlight)];
    // The first warms up.
    if (round > 0) [log, plain] = [log + a / rounds, plain + b / rounds];
  }
  await ours.close();
  await bare.close();
  const figures = [
    String(inFlight).padStart(9),
    padded(log),
    padded(plain),
    (log / plain).toFixed(2).padStart(7),
  ];
  console.log(`${durability.padEnd(10)}  ${figures.join(' ')}`);
}

async function perSecond(writer: Writer, inFlight: number): Promise<number> {
  const begun = performance.now();
  let written = 0;
  while (performance.now() - begun < roundMs) {
    await writer.write(inFlight);
    written += inFlight;
    // As the simulator does: what arrived meanwhile comes next, and the worker's answers are heard.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (written * 1000) / (performance.now() - begun);
}

function ourWriter(durability: Durability, inFlight: number): Writer {
  const log = openSqliteLog({ file: join(folder, `${durability}-${inFlight}.take`), manifest, durability });
  return { write: (entries) => writeTo(log, entries), close: () => log.close() };
}

function writeTo(log: EventLog, entries: number): void | Promise<void> {
  const { seq } = log.head;
  for (let index = 1; index <= entries; index += 1) log.stage(entryOf(seq + index));
  return log.flush();
}

function bareWriter(durability: Durability, inFlight: number): Writer {
  const database = new Database(join(folder, `${durability}-${inFlight}.db`));
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  database.exec(
    'CREATE TABLE entries (seq INTEGER PRIMARY KEY, at, input TEXT, outcomes TEXT, payload BLOB, hash BLOB)',
  );
  const insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)');
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  const { input, outcomes } = textsOf(entryOf(1));
  const [payload, hash] = [new Uint8Array(140), new Uint8Array(32)];
  let seq = 0;
  return {
    write(entries) {
      begin.run();
      for (let index = 0; index < entries; index += 1)
        insert.run((seq += 1), seq, input, outcomes, payload, hash);
      commit.run();
    },
    close: () => void database.close(),
  };
}

async function readBack(): Promise<void> {
  const log = openSqliteLog({ file: join(folder, 'read.take'), manifest });
  while (log.head.seq < readBackEntries) await writeTo(log, 1_000);
  const lazily = await readAll(log, () => {});
  const parsed = await readAll(log, (entry) => void entry.outcomes);
  const begun = performance.now();
  await log.verify();
  const verified = (readBackEntries * 1000) / (performance.now() - begun);
  await log.close();
  console.log(
    `\nread back: ${padded(lazily)}, outcomes parsed: ${padded(parsed)}, verified: ${padded(verified)}`,
  );
}

async function readAll(log: EventLog, use: (entry: LogEntry) => void): Promise<number> {
  const begun = performance.now();
  for (let next = 1; ;) {
    const page = await log.read(next, 1_000);
    if (page.length === 0) return ((next - 1) * 1000) / (performance.now() - begun);
    for (const entry of page) use(entry);
    next += page.length;
  }
}

function entryOf(seq: number): LogEntry {
  const headers = [
    ['user-agent', 'grpc-node-js/1.14.7'],
    ['x-request-id', `request-${seq}`],
  ] as const;
  return {
    seq,
    at: seq,
    input: {
      kind: 'CallOpened',
      method: '/helloworld.Greeter/SayHello',
      session: '',
      headers,
      bytes: new Uint8Array(60),
    },
    outcomes: [
      {
        kind: 'StubMatched',
        call: seq,
        stub: '0b6cf5f2-1c1d-4b6a-9a55-0d9bd1f6a001',
        session: '',
        attempt: seq,
      },
      { kind: 'HeadersSent', call: seq, headers: [] },
      { kind: 'MessageSent', call: seq, bytes: new Uint8Array(80) },
      { kind: 'CallEnded', call: seq, code: 0 },
    ],
  };
}

function textsOf({ input, outcomes }: LogEntry): { readonly input: string; readonly outcomes: string } {
  const replacer = (key: string, value: unknown): unknown => (key === 'bytes' ? [0, 60] : value);
  return { input: JSON.stringify(input, replacer), outcomes: JSON.stringify(outcomes, replacer) };
}

function padded(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en').padStart(9);
}
