import type { Command } from 'commander';
import { worldAtLog } from '../core/simulator/create-simulator.ts';
import { isMiss } from '../core/simulator/entry-filter.ts';
import { explainEntry, type Explanation, type Past } from '../core/simulator/explain.ts';
import type { EventLog } from '../core/simulator/ports.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { CommandFailure } from './command-failure.ts';
import { seqNumber } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import { entriesPageMax, entryAt, openTake, withTakeArgument, type TakeOptions } from './reading/take.ts';
import { tellExplanation } from './reading/tell-explanation.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  withTakeArgument(command)
    .argument('[seq]', 'an entry of the call; without it, the newest miss', seqNumber)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Examples:
  doubletake explain run.take 118
  doubletake explain run.take`,
    )
    .action((take: string, seq: number | undefined, options: ExplainOptions) =>
      explainCallOf(take, seq, options, terminal),
    );
}

interface ExplainOptions extends TakeOptions {
  readonly json?: boolean;
}

async function explainCallOf(
  take: string,
  asked: number | undefined,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const log = await openTake(take, options);
  try {
    const seq = asked ?? (await newestMiss(log));
    if (seq === undefined) {
      terminal.note('nothing was missed; name an entry to see why it was answered as it was');
      return;
    }
    const entry = await entryAt(log, take, seq);
    const explanation = await explainEntry(pastOf(log), entry.seq);
    if (explanation === undefined) throw notACall(take, seq);
    if (options.json === true) terminal.line(JSON.stringify(explanation));
    else tellExplanation(explanation, await entryAt(log, take, explanation.seq), terminal);
  } finally {
    await log.close();
  }
}

function pastOf(log: EventLog): Past {
  return {
    entries: async (from, limit) => log.read(from, limit),
    worldAt: (seq) => worldAtLog(log, seq),
  };
}

/** The last call that no stub answered. */
async function newestMiss(log: EventLog): Promise<Explanation['seq'] | undefined> {
  for (let end = log.head.seq; end > 0; end -= entriesPageMax) {
    const from = Math.max(1, end - entriesPageMax + 1);
    const page = await log.read(from, end - from + 1);
    const miss = page.findLast(isMiss);
    if (miss !== undefined) return miss.seq;
  }
  return undefined;
}

function notACall(take: string, seq: number): CommandFailure {
  return new CommandFailure(`no stub was asked for in entry ${seq} of ${take}`, { code: 'DT_NOT_A_CALL' });
}
