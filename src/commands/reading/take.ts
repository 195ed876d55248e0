import type { Command } from 'commander';
import type { LogEntry } from '../../core/simulator/events.ts';
import type { EventLog } from '../../core/simulator/ports.ts';
import { reducerDigest } from '../../core/simulator/reducer-digest.ts';
import { CommandFailure } from '../command-failure.ts';

export interface TakeOptions {
  /** Reads what is there, though answered entries are missing at the end. */
  readonly acceptLoss?: boolean;
}

/** Puts the argument `<take>` and its option on a command. */
export function withTakeArgument(command: Command): Command {
  return command
    .argument('<take>', 'a .take or .jsonl file, also one that is being written')
    .option('--accept-loss', 'read what is left of a take that has lost answered entries at its end');
}

/** Opens a take for reading. Rejects with a `LogFailure`. */
export async function openTake(file: string, { acceptLoss = false }: TakeOptions = {}): Promise<EventLog> {
  if (file.endsWith('.jsonl')) {
    const { openJsonLinesLog } = await import('../../edges/json-lines/open-json-lines-log.ts');
    return openJsonLinesLog(file);
  }
  const { openSqliteLog } = await import('../../edges/sqlite/open-sqlite-log.ts');
  return openSqliteLog({ file, readOnly: true, reducerDigest, acceptLoss });
}

/** Entries are read in pages of this many. */
export const entriesPageMax = 1_000;

/** The entries from `from` to `to`, both included, page by page. */
export async function* pagesOf(
  log: EventLog,
  from = 1,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly LogEntry[]> {
  for (let next = from; next <= to;) {
    const page = await log.read(next, Math.min(entriesPageMax, to - next + 1));
    if (page.length === 0) return;
    yield page;
    next += page.length;
  }
}

/** The entry `seq`. Rejects when the take has none of that number. */
export async function entryAt(log: EventLog, take: string, seq: number): Promise<LogEntry> {
  const [entry] = await log.read(seq, 1);
  if (entry === undefined) throw noSuchEntry(take, seq, log.head.seq);
  return entry;
}

export function noSuchEntry(take: string, seq: number, last: number): CommandFailure {
  const range = last === 0 ? 'it is empty' : `it has 1 to ${last}`;
  return new CommandFailure(`${take} has no entry ${seq}: ${range}`, { code: 'DT_NO_SUCH_ENTRY' });
}
