import type { Command } from 'commander';
import { recheck, type Divergence } from '../core/simulator/replay.ts';
import { worldDigest } from '../core/simulator/snapshot.ts';
import { emptyWorld, type World } from '../core/simulator/world.ts';
import { LogFailure, type EventLog } from '../core/simulator/ports.ts';
import { printable } from '../edges/terminal/printable.ts';
import { grouped } from '../edges/terminal/progress.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommandContext } from './program.ts';
import { openTake, pagesOf } from './reading/take.ts';

export function define(command: Command, { terminal, end }: CommandContext): void {
  command
    .argument('<take...>', '.take or .jsonl files')
    .option('--json', 'one line of JSON per take')
    .addHelpText(
      'after',
      `
Decides every input again, in the world that the log led to, and compares the outcomes; holds every entry against the
hash chain. Ends with 3 when something differs, and says where first.

Example:
  doubletake check run.take recordings/*.jsonl`,
    )
    .action(async (files: readonly string[], options: { readonly json?: boolean }) => {
      let clean = true;
      for (const file of files) {
        const verdict = await checkTake(file, terminal);
        clean &&= verdict.ok;
        terminal.line(options.json === true ? JSON.stringify(verdict) : told(verdict, terminal));
      }
      if (!clean) end(exitCodes.divergence);
    });
}

type Verdict =
  | {
      readonly take: string;
      readonly ok: true;
      readonly entries: number;
      readonly head: string;
      readonly world: string;
    }
  | {
      readonly take: string;
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly divergence?: Divergence;
    };

async function checkTake(take: string, terminal: Terminal): Promise<Verdict> {
  try {
    const log = await openTake(take);
    try {
      await log.verify();
      const result = await decideAgain(log, terminal);
      return 'divergence' in result
        ? {
            take,
            ok: false,
            code: 'DT_DIVERGED',
            message: divergenceText(result.divergence),
            divergence: result.divergence,
          }
        : {
            take,
            ok: true,
            entries: result.world.seq,
            head: log.head.hash,
            world: worldDigest(result.world),
          };
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof LogFailure && damage.has(error.code)) {
      return { take, ok: false, code: error.code, message: error.message };
    }
    throw error;
  }
}

/** What is found out by reading; anything else keeps a take from being read at all. */
const damage: ReadonlySet<string> = new Set(['DT_LOG_TAMPERED', 'DT_LOG_TRUNCATED']);

async function decideAgain(
  log: EventLog,
  terminal: Terminal,
): Promise<{ readonly world: World } | { readonly divergence: Divergence }> {
  const progress = terminal.progress('deciding again', log.head.seq);
  try {
    let world = emptyWorld(log.manifest);
    for await (const page of pagesOf(log)) {
      const checked = recheck(world, page);
      if (checked.divergence !== undefined) return { divergence: checked.divergence };
      world = checked.world;
      progress.at(world.seq);
    }
    return { world };
  } finally {
    progress.end();
  }
}

function divergenceText({ seq, path, logged, decided }: Divergence): string {
  return `entry ${seq}, outcomes${path}: the take holds ${shown(logged)}, deciding again gives ${shown(decided)}`;
}

const shownCharsMax = 200;

function shown(value: unknown): string {
  const text =
    value === undefined
      ? 'nothing'
      : value instanceof Uint8Array
        ? `bytes ${hexStart(value)}`
        : JSON.stringify(value);
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}

function hexStart(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, shownCharsMax / 2)).toString('hex');
}

function told(verdict: Verdict, { paint }: Terminal): string {
  if (!verdict.ok)
    return `${paint('red', '✗')} ${verdict.take}: ${verdict.code}: ${printable(verdict.message)}`;
  return `${paint('green', '✓')} ${verdict.take}: ${grouped(verdict.entries)} entries, world ${verdict.world.slice(0, 16)}`;
}
