// Unary calls per second under an external load generator, beside a bare grpc-js server in the same run.
//
//     node bench/grpc.ts [--requests 20000] [--rounds 5] [--stubs 100000] [--durability process|power]
//
// Needs h2load (Debian: nghttp2-client). Each server is a process of its own, pinned to one core, and h2load to another.
// Rounds alternate between the servers, so that a busy machine is busy for all of them; the figures are medians. The
// log of Doubletake is on disk, and every answer waits for it. h2load sees HTTP only, so a grpc-js client checks the
// answers before and after, and at the end the log must hold as many calls with the expected status as h2load made.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { openSqliteLog } from '../src/edges/sqlite/open-sqlite-log.ts';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    stubs: { type: 'string', default: '100000' },
    durability: { type: 'string', default: 'process' },
  },
});
const requests = Number(options.requests);
const rounds = Number(options.rounds);
const manyStubs = Number(options.stubs);
const streams = 32;
const roundMsMax = 120_000;
const readyMsMax = 120_000;
const path = '/bench.v1.Greeter/SayHello';
const folder = mkdtempSync(join(tmpdir(), 'doubletake-bench-'));

interface Contender {
  readonly name: string;
  readonly server: Running;
  /** The framed message that is sent. */
  readonly body: string;
  /** The status that each call must have. */
  readonly code: number;
  readonly perSecond: number[];
  readonly cpuMicros: number[];
  calls: number;
}

interface Running {
  readonly process: ChildProcess;
  readonly address: string;
  readonly take?: string;
}

const protoFile = join(folder, 'greeter.proto');
writeFileSync(
  protoFile,
  `syntax = "proto3";
package bench.v1;
message HelloRequest { string name = 1; }
message HelloReply { string message = 1; }
service Greeter { rpc SayHello (HelloRequest) returns (HelloReply); }
`,
);

const servers: Running[] = [];
try {
  const contenders = await startAll();
  for (const contender of contenders) await validate(contender);
  for (let round = 0; round <= rounds; round += 1) {
    for (const contender of contenders) measure(contender, round > 0);
  }
  for (const contender of contenders) await validate(contender);
  await Promise.all(servers.map(stop));
  report(contenders);
  for (const server of servers) await checkLog(server, contenders);
} finally {
  for (const server of servers) server.process.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}

async function startAll(): Promise<readonly Contender[]> {
  const bare = await start(['bench/bare-grpc-server.ts', protoFile]);
  const few = await startDoubletake(10);
  const many = await startDoubletake(manyStubs);
  return [
    contender('bare grpc-js', bare, 'name-7', 0),
    contender('10 stubs, hit', few, 'name-7', 0),
    contender('10 stubs, miss', few, 'nobody', 5),
    contender(`${manyStubs} stubs, hit`, many, `name-${manyStubs - 3}`, 0),
    contender(`${manyStubs} stubs, miss`, many, 'nobody', 5),
  ];
}

function contender(name: string, server: Running, hello: string, code: number): Contender {
  const body = join(folder, `${name.replaceAll(/\W+/g, '-')}.bin`);
  writeFileSync(body, framed(request(hello)));
  return { name, server, body, code, perSecond: [], cpuMicros: [], calls: 0 };
}

function request(name: string): Buffer {
  return Buffer.concat([Buffer.of(0x0a, name.length), Buffer.from(name)]);
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function startDoubletake(count: number): Promise<Running> {
  const stubs = join(folder, `stubs-${count}.json`);
  const take = join(folder, `bench-${count}.take`);
  writeFileSync(stubs, JSON.stringify(Array.from({ length: count }, (_, index) => stub(index))));
  const ports = ['--grpc-port', '0', '--admin-port', '0', '--http-port', '0'];
  const files = ['--proto', protoFile, '--stubs', stubs, '--take', take];
  const given = ['--durability', options.durability, '--json'];
  return start(['bin/doubletake.js', 'serve', ...files, ...ports, ...given], take);
}

function stub(index: number): unknown {
  return {
    service: 'bench.v1.Greeter',
    method: 'SayHello',
    input: { equals: { name: `name-${index}` } },
    output: { data: { message: `name-${index}` } },
  };
}

async function start(script: readonly string[], take?: string): Promise<Running> {
  const [command = '', ...args] = pinned(0, [process.execPath, ...script]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const timer = setTimeout(() => child.kill('SIGKILL'), readyMsMax);
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  clearTimeout(timer);
  if (typeof line !== 'string') throw new Error(`${script.join(' ')} did not start`);
  const { grpc: address }: { grpc: string } = JSON.parse(line);
  const running = { process: child, address, ...(take === undefined ? {} : { take }) };
  servers.push(running);
  return running;
}

function pinned(core: number, command: readonly string[]): readonly string[] {
  const cores = availableParallelism();
  return cores < 2 ? command : ['taskset', '-c', String(core), ...command];
}

async function stop({ process: child }: Running): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function measure(contender: Contender, counts: boolean): void {
  const { address, process: child } = contender.server;
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  const load = ['-n', String(requests), '-c', '1', '-m', String(streams), '-d', contender.body];
  const cpuBefore = cpuMicrosOf(child);
  const output = execFileSync(
    'taskset',
    ['-c', availableParallelism() < 2 ? '0' : '1', 'h2load', ...load, ...headers, `http://${address}${path}`],
    { encoding: 'utf8', timeout: roundMsMax },
  );
  const succeeded = Number(/(\d+) succeeded/.exec(output)?.[1]);
  if (succeeded !== requests)
    throw new Error(`${contender.name}: ${succeeded} of ${requests} succeeded\n${output}`);
  contender.calls += requests;
  if (!counts) return;
  contender.perSecond.push(Number(/([\d.]+) req\/s/.exec(output)?.[1]));
  contender.cpuMicros.push((cpuMicrosOf(child) - cpuBefore) / requests);
}

/** Processor time of a process; on a busy machine it says more than the calls per second. 0 where there is no /proc. */
function cpuMicrosOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return 0;
  }
}

async function validate(contender: Contender): Promise<void> {
  const message = readFileSync(contender.body).subarray(5);
  const client = new Client(contender.server.address, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  const { error, answer } = await new Promise<{ error: ServiceError | null; answer: Buffer | undefined }>(
    (resolve) => {
      client.makeUnaryRequest(path, same, same, message, (error, answer) => resolve({ error, answer }));
    },
  );
  client.close();
  contender.calls += 1;
  const code: number = error === null ? 0 : error.code;
  if (code !== contender.code)
    throw new Error(`${contender.name}: status ${code}, expected ${contender.code}`);
  // Both messages are one string in field 1, and each answer repeats its name.
  if (code === 0 && answer?.equals(message) !== true) throw new Error(`${contender.name}: a wrong answer`);
}

function report(contenders: readonly Contender[]): void {
  const [bare] = contenders;
  if (bare === undefined) return;
  console.log(
    `${requests} unary calls a round, ${streams} at a time, ${rounds} rounds, --durability ${options.durability}\n`,
  );
  console.log('                        calls/s  of bare  CPU µs/call  of bare');
  for (const { name, perSecond, cpuMicros } of contenders) {
    const [rate, cpu] = [median(perSecond), median(cpuMicros)];
    const rateRatio = median(perSecond.map((value, round) => value / (bare.perSecond[round] ?? NaN)));
    const cpuRatio = median(cpuMicros.map((value, round) => (bare.cpuMicros[round] ?? NaN) / value));
    console.log(
      `${name.padEnd(22)} ${rate.toFixed(0).padStart(8)} ${rateRatio.toFixed(2).padStart(8)} ${cpu.toFixed(1).padStart(12)} ${cpuRatio.toFixed(2).padStart(8)}`,
    );
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

/** As many calls with each status as were made, or the figures mean nothing. */
async function checkLog(server: Running, contenders: readonly Contender[]): Promise<void> {
  if (server.take === undefined) return;
  const found = await statusesIn(server.take);
  for (const code of [0, 5]) {
    const made = contenders.filter((one) => one.server === server && one.code === code);
    const calls = made.reduce((sum, one) => sum + one.calls, 0);
    if ((found.get(code) ?? 0) !== calls) {
      throw new Error(`the log has ${found.get(code) ?? 0} calls with status ${code}, expected ${calls}`);
    }
  }
  console.log(
    `\n${server.take.split('/').at(-1)}: all ${[...found.values()].reduce((a, b) => a + b)} calls are in the log`,
  );
}

async function statusesIn(take: string): Promise<Map<number, number>> {
  const log = openSqliteLog({ file: take });
  const found = new Map<number, number>();
  for (let from = 1; from <= log.head.seq; from += 1000) {
    for (const { outcomes } of await log.read(from, 1000)) {
      for (const outcome of outcomes) {
        if (outcome.kind === 'CallEnded') found.set(outcome.code, (found.get(outcome.code) ?? 0) + 1);
      }
    }
  }
  await log.close();
  return found;
}
