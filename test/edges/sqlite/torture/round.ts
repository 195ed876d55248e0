import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Randomness } from '../../../../src/core/kernel/randomness.ts';
import { openSqliteLog, type Durability } from '../../../../src/edges/sqlite/open-sqlite-log.ts';
import { textOf } from '../../arbitrary-entries.ts';
import { manifest, tortureEntry } from './torture-entry.ts';

export interface RoundResult {
  /** The last seq that the writer said was answered. */
  readonly answered: number;
  /** Where the take ends when it is opened again. */
  readonly head: number;
}

export interface Round {
  readonly file: string;
  readonly durability: Durability;
  readonly chance: Randomness;
  /** Where the take ended after the last round; 0 before the first. */
  readonly before: number;
  /** Kills the writer when it has answered this many entries more; when it is 0, at any moment, also while it opens. */
  readonly answers: number;
}

/**
 * Lets a process write the take, kills it with signal 9, opens the take and reads all that has come since the last round. Throws
 * what a log throws that cannot be opened or verified, and an `Error` when an answered entry is missing or another one.
 */
export async function tortureRound(round: Round): Promise<RoundResult> {
  const { file, before } = round;
  const answered = Math.max(before, await writeUntilKilled(round));
  // A reader leaves the take as the killed writer left it, for the next one to find.
  const readOnly = answered > 0 && round.chance.integer(0, 1) === 0;
  const log = openSqliteLog({ file, readOnly, ...(answered === 0 ? { manifest } : {}) });
  try {
    const head = log.head.seq;
    if (head < answered) throw new Error(`entry ${answered} was answered, and the take ends at ${head}`);
    for (const entry of await log.read(before + 1, head - before)) {
      if (textOf(entry) !== textOf(tortureEntry(entry.seq)))
        throw new Error(`entry ${entry.seq} is another one`);
    }
    return { answered, head };
  } finally {
    await log.close();
  }
}

async function writeUntilKilled({ file, durability, chance, before, answers }: Round): Promise<number> {
  const arguments_ = [fileURLToPath(new URL('writer.ts', import.meta.url)), file, durability, chance.uuid()];
  const writer = spawn(process.execPath, arguments_, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(writer, 'exit');
  let answered = 0;
  if (answers === 0) killSoon(writer, chance);
  for await (const line of createInterface({ input: writer.stdout })) {
    answered = Number(line);
    if (answered >= before + answers) writer.kill('SIGKILL');
  }
  const [, signal] = (await gone) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error('the writer ended by itself');
  return answered;
}

// At any moment from the start of the process on: while it makes or opens the take, too.
function killSoon(writer: ChildProcess, chance: Randomness): void {
  setTimeout(() => writer.kill('SIGKILL'), chance.integer(0, 400));
}
