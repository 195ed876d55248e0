import type { Command } from 'commander';
import { worldAtLog } from '../core/simulator/create-simulator.ts';
import { callFactsOf, continuedCall } from '../core/simulator/entry-filter.ts';
import { entryJson } from '../core/simulator/entry-json.ts';
import type { LogEntry } from '../core/simulator/events.ts';
import type { EventLog } from '../core/simulator/ports.ts';
import type { World } from '../core/simulator/world.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { seqNumber } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import { decodedEntry } from './reading/decoded-entry.ts';
import { tellEntry } from './reading/tell-entry.ts';
import { entryAt, openTake, withTakeArgument, type TakeOptions } from './reading/take.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  withTakeArgument(command)
    .argument('<seq>', 'the number of the entry', seqNumber)
    .option('--json', 'as JSON: the entry, with its messages decoded')
    .addHelpText('after', '\nExample:\n  doubletake show run.take 118')
    .action((take: string, seq: number, options: ShowOptions) => showEntry(take, seq, options, terminal));
}

interface ShowOptions extends TakeOptions {
  readonly json?: boolean;
}

async function showEntry(take: string, seq: number, options: ShowOptions, terminal: Terminal): Promise<void> {
  const log = await openTake(take, options);
  try {
    const entry = await entryAt(log, take, seq);
    const opened = await openingOf(log, entry);
    // The world that it was decided in: the entry itself may have changed the descriptors.
    const world: World = await worldAtLog(log, seq - 1);
    const shown = decodedEntry(entry, opened, world);
    if (options.json === true)
      terminal.line(
        JSON.stringify({ ...entryJson(entry), decoded: { input: shown.input, outcomes: shown.outcomes } }),
      );
    else tellEntry(shown, terminal);
  } finally {
    await log.close();
  }
}

/** The entry that opened the call; the entry itself when it did, or has to do with no call. */
async function openingOf(log: EventLog, entry: LogEntry): Promise<LogEntry> {
  if (callFactsOf(entry.input) !== undefined) return entry;
  const call = continuedCall(entry.input) ?? entry.outcomes.find((outcome) => 'call' in outcome)?.call;
  const [opened] = call === undefined ? [] : await log.read(call, 1);
  return opened ?? entry;
}
