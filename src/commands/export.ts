import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import type { EventLog } from '../core/simulator/ports.ts';
import { jsonLinesOf, writeJsonLines } from '../edges/json-lines/write-json-lines.ts';
import { grouped } from '../edges/terminal/progress.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import type { CommandContext } from './program.ts';
import { openTake, withTakeArgument, type TakeOptions } from './reading/take.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  withTakeArgument(command)
    .addOption(new Option('--to <format>', 'the format').choices(['jsonl']).default('jsonl'))
    .option('-o, --output <file>', 'where to; without it, standard output')
    .addHelpText('after', '\nExample:\n  doubletake export run.take --to jsonl -o recordings/run.jsonl')
    .action((take: string, options: ExportOptions) => exportTake(take, options, terminal));
}

interface ExportOptions extends TakeOptions {
  readonly output?: string;
}

async function exportTake(take: string, options: ExportOptions, terminal: Terminal): Promise<void> {
  const log = await openTake(take, options);
  try {
    if (options.output === undefined) {
      for await (const line of jsonLinesOf(log)) terminal.line(line.trimEnd());
      return;
    }
    await writeWhole(log, options.output);
    terminal.note(`${grouped(log.head.seq)} entries in ${options.output}`);
  } finally {
    await log.close();
  }
}

/** The file is there when it is whole, or not at all. */
async function writeWhole(log: EventLog, file: string): Promise<void> {
  const unfinished = `${file}-new`;
  const stream = createWriteStream(unfinished);
  try {
    await writeJsonLines(log, stream);
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject).end(resolve);
    });
    await rename(unfinished, file);
  } catch (error) {
    stream.destroy();
    await rm(unfinished, { force: true });
    throw error;
  }
}
