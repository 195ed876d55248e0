import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Randomness } from '../../../src/core/kernel/randomness.ts';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import { reducerDigest } from '../../../src/core/simulator/reducer-digest.ts';
import { recheck } from '../../../src/core/simulator/replay.ts';
import { emptyWorld } from '../../../src/core/simulator/world.ts';
import type { Durability } from '../../../src/edges/sqlite/durability.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { fixtures, serve } from '../running-process.ts';
import { requestIdHeader, startLoad, type Seen } from './load.ts';

export interface CrashRound {
  readonly take: string;
  readonly durability: Durability;
  readonly chance: Randomness;
  /** Entries of the take after the last round; 0 before the first. */
  readonly before: number;
  /** Names the requests of this round. */
  readonly name: string;
  /** Ends the server when it has given this many answers; 0 is at any moment, also while it starts. */
  readonly answers: number;
  /** SIGKILL unless it says otherwise; then the server must end in order. */
  readonly signal?: 'SIGKILL' | 'SIGTERM';
}

export interface CrashResult {
  /** Calls of which the client saw an answer, or a part of one. */
  readonly answered: number;
  /** Where the take ends; 0 when it was killed before there was one. */
  readonly head: number;
}

const sources = [
  '--proto',
  join(fixtures, 'protos'),
  '--stubs',
  fileURLToPath(new URL('stubs/', import.meta.url)),
];

/**
 * Serves a take under load, kills the server with signal 9, and looks at what is left: everything that a client saw is in the
 * take just so, and deciding all of it again gives the same. Throws an `Error` that says what is not.
 */
export async function crashRound(round: CrashRound): Promise<CrashResult> {
  const seen = await loadUntilKilled(round);
  // Killed early enough, it has not made the take yet.
  if (round.before === 0 && seen.size === 0 && !existsSync(round.take)) return { answered: 0, head: 0 };
  const entries = await entriesLeft(round.take);
  if (entries.length < round.before)
    throw new Error(`the take had ${round.before} entries, now ${entries.length}`);
  const logged = answersIn(entries);
  for (const [id, call] of seen) compare(id, call, logged.get(id));
  return { answered: seen.size, head: entries.length };
}

async function loadUntilKilled(round: CrashRound): Promise<ReadonlyMap<string, Seen>> {
  const { take, durability, chance, name, answers, signal = 'SIGKILL' } = round;
  const served = serve([...sources, '--take', take, '--durability', durability], {
    // Half of the kills at any moment fall before it is ready.
    ...(answers === 0 && { killAfterMs: chance.integer(0, 1_000) }),
  });
  const server = await served.catch(() => undefined);
  if (server === undefined) return new Map();
  const load = startLoad(server.grpc, name, (count) => {
    if (count === answers) server.signal(signal);
  });
  const { code } = await server.ended;
  await load.over;
  if (code !== (signal === 'SIGKILL' ? null : 0))
    throw new Error(`the server ended by itself with ${code}: ${server.stderr()}`);
  return new Map(
    [...load.seen].filter(([, { code: given, messages }]) => given !== undefined || messages.length > 0),
  );
}

/** All entries, after the chain has been verified and everything decided again. */
async function entriesLeft(take: string): Promise<readonly LogEntry[]> {
  const log = openSqliteLog({ file: take, readOnly: true, reducerDigest });
  try {
    await log.verify();
    const entries = await log.read(1, log.head.seq);
    const { divergence } = recheck(emptyWorld(log.manifest), entries);
    if (divergence !== undefined) throw new Error(`decided otherwise: ${JSON.stringify(divergence)}`);
    return entries;
  } finally {
    await log.close();
  }
}

/** What the log says that was answered, by request id. */
function answersIn(entries: readonly LogEntry[]): ReadonlyMap<string, Seen> {
  const ids = new Map<number, string>();
  const answers = new Map<string, { messages: string[]; code?: number }>();
  for (const { seq, input, outcomes } of entries) {
    if (input.kind === 'CallOpened') {
      const id = input.headers.find(([name]) => name === requestIdHeader)?.[1] ?? '';
      ids.set(seq, id);
      answers.set(id, { messages: [] });
    }
    for (const outcome of outcomes) {
      const answer = 'call' in outcome ? answers.get(ids.get(outcome.call) ?? '') : undefined;
      if (answer === undefined) continue;
      if (outcome.kind === 'MessageSent') answer.messages.push(Buffer.from(outcome.bytes).toString('hex'));
      if (outcome.kind === 'CallEnded') answer.code = outcome.code;
    }
  }
  return answers;
}

function compare(id: string, seen: Seen, logged: Seen | undefined): void {
  if (logged === undefined) throw new Error(`the call ${id} was answered and is not in the take`);
  // A stream that broke may have got further in the take than the client could see.
  const isWhole = seen.code !== undefined;
  const messages = isWhole ? logged.messages : logged.messages.slice(0, seen.messages.length);
  const same = messages.join() === seen.messages.join() && (!isWhole || seen.code === logged.code);
  if (!same)
    throw new Error(
      `the call ${id} got ${JSON.stringify(seen)}, and the take says ${JSON.stringify(logged)}`,
    );
}
