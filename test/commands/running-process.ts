import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const program: string = fileURLToPath(new URL('../../bin/doubletake.js', import.meta.url));
export const fixtures: string = fileURLToPath(new URL('fixtures/', import.meta.url));
const buf = fileURLToPath(new URL('../../node_modules/.bin/buf', import.meta.url));

export const talkSources: readonly string[] = [
  '--proto',
  join(fixtures, 'protos'),
  '--stubs',
  join(fixtures, 'stubs'),
];

/** A folder of the test's own. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'doubletake-test-'));
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of Doubletake to its end. */
export function run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return ended(start(process.execPath, [program, ...args], options));
}

/** Calls a method with the client of another stack, through reflection; one JSON message for each of `messages`. */
export function bufCurl(
  grpc: string,
  method: string,
  messages: readonly object[],
  headers: readonly string[] = [],
): Promise<Ended> {
  const child = start(buf, [
    'curl',
    '--protocol',
    'grpc',
    '--http2-prior-knowledge',
    '--reflect-protocol',
    'grpc-v1',
    ...headers.flatMap((header) => ['--header', header]),
    '--data',
    '@-',
    `http://${grpc}/${method}`,
  ]);
  child.stdin?.end(messages.map((message) => JSON.stringify(message)).join('\n'));
  return ended(child);
}

type Environment = Readonly<Record<string, string>>;

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  /** Ends it with SIGKILL after this time, wherever it is then. */
  readonly killAfterMs?: number;
}

function start(file: string, args: readonly string[], options: StartOptions = {}): ChildProcess {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...options.env };
  return spawn(file, args, {
    stdio: 'pipe',
    env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.killAfterMs === undefined ? {} : { timeout: options.killAfterMs, killSignal: 'SIGKILL' }),
  });
}

function ended(child: ChildProcess): Promise<Ended> {
  const stdout = textOf(child.stdout);
  const stderr = textOf(child.stderr);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
  });
}

function textOf(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

export interface Served {
  readonly grpc: string;
  readonly admin: string;
  readonly http: string;
  /** The first line, as it came. */
  readonly line: string;
  readonly pid: number;
  /** Standard error so far. */
  stderr(): string;
  /** Resolves when standard error holds the text. */
  told(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
  stop(): Promise<Ended>;
}

/** Starts `doubletake serve --json` on free ports, and resolves when it says that it is ready. */
export async function serve(args: readonly string[], options: StartOptions = {}): Promise<Served> {
  const ports = ['--grpc-port', '0', '--admin-port', '0', '--http-port', '0'];
  const child = start(process.execPath, [program, 'serve', '--json', ...ports, ...args], options);
  const stderr = textOf(child.stderr);
  const end = ended(child);
  const line = await firstLine(child, end);
  const ready = JSON.parse(line) as { grpc: string; admin: string; http: string };
  return {
    ...ready,
    line,
    pid: child.pid ?? 0,
    stderr,
    told: (text) => told(child, stderr, text),
    signal: (name) => void child.kill(name),
    ended: end,
    stop: () => {
      child.kill('SIGTERM');
      return end;
    },
  };
}

async function firstLine(child: ChildProcess, end: Promise<Ended>): Promise<string> {
  if (child.stdout === null) throw new Error('standard output is not a pipe');
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve) => lines.once('line', resolve));
  const early = end.then(({ code, stderr }) => {
    throw new Error(`serve ended with ${code} before it was ready: ${stderr}`);
  });
  return Promise.race([line, early]);
}

function told(child: ChildProcess, stderr: () => string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!stderr().includes(text)) return;
      child.stderr?.off('data', look);
      resolve();
    };
    child.stderr?.on('data', look);
    child.once('close', () => reject(new Error(`ended without saying ${text}: ${stderr()}`)));
    look();
  });
}
