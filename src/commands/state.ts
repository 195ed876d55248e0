import type { Command } from 'commander';
import { worldAtLog } from '../core/simulator/create-simulator.ts';
import { partAt, worldJson } from '../core/simulator/world-json.ts';
import { printable } from '../edges/terminal/printable.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { CommandFailure } from './command-failure.ts';
import { wholeNumber } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import { noSuchEntry, openTake, withTakeArgument, type TakeOptions } from './reading/take.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  withTakeArgument(command)
    .argument('[path]', 'a part of the world, keys separated by dots')
    .option(
      '--at <seq>',
      'just after this entry; 0 is the empty world; without it, at the end',
      wholeNumber(0),
    )
    .option('--json', 'on one line')
    .addHelpText(
      'after',
      `
Examples:
  doubletake state run.take rpc.uses
  doubletake state run.take --at 118 rpc.stubs`,
    )
    .action((take: string, path: string | undefined, options: StateOptions) =>
      showState(take, path ?? '', options, terminal),
    );
}

interface StateOptions extends TakeOptions {
  readonly at?: number;
  readonly json?: boolean;
}

async function showState(
  take: string,
  path: string,
  options: StateOptions,
  terminal: Terminal,
): Promise<void> {
  const log = await openTake(take, options);
  try {
    const seq = options.at ?? log.head.seq;
    if (seq > log.head.seq) throw noSuchEntry(take, seq, log.head.seq);
    const part = partAt(worldJson(await worldAtLog(log, seq)), path);
    if (part === undefined) {
      throw new CommandFailure(`the world at entry ${seq} has no ${path}`, { code: 'DT_NO_SUCH_PATH' });
    }
    terminal.line(
      options.json === true
        ? JSON.stringify(part)
        : printable(JSON.stringify(part, null, 2), { lines: true }),
    );
  } finally {
    await log.close();
  }
}
