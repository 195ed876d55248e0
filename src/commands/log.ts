import type { Command } from 'commander';
import {
  asksForCall,
  isMiss,
  passesFilter,
  sessionOfEntry,
  type CallFacts,
  type EntryFilter,
} from '../core/simulator/entry-filter.ts';
import { entryJson } from '../core/simulator/entry-json.ts';
import type { LogEntry } from '../core/simulator/events.ts';
import { printable } from '../edges/terminal/printable.ts';
import type { Terminal } from '../edges/terminal/terminal.ts';
import { fitted, padded, widthOf } from '../edges/terminal/width.ts';
import { repeated, seqNumber } from './option-parsers.ts';
import type { CommandContext } from './program.ts';
import { CallIndex } from './reading/call-index.ts';
import { isRefused, outcomeOf, subjectOf, timeText } from './reading/entry-story.ts';
import { openTake, pagesOf, withTakeArgument, type TakeOptions } from './reading/take.ts';

export function define(command: Command, { terminal }: CommandContext): void {
  withTakeArgument(command)
    .option('--session <name>', 'only entries of this session')
    .option('--service <name>', 'only calls of this service, or of service/method')
    .option('--kind <kind>', 'only entries with an input or outcome of this kind; may be repeated', repeated)
    .option('--misses', 'only what nothing answered')
    .option('--from <seq>', 'the first entry', seqNumber)
    .option('--to <seq>', 'the last entry', seqNumber)
    .option('--follow', 'go on as entries are written, until interrupted')
    .option('--json', 'one entry per line, as JSON')
    .addHelpText(
      'after',
      `
Examples:
  doubletake log run.take --misses
  doubletake log run.take --service Greeter --kind CallOpened --json | jq .seq`,
    )
    .action(listEntries.bind(undefined, terminal));
}

interface LogOptions extends Omit<EntryFilter, 'kinds'>, TakeOptions {
  readonly kind?: readonly string[];
  readonly from?: number;
  readonly to?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

async function listEntries(terminal: Terminal, file: string, options: LogOptions): Promise<void> {
  const log = await openTake(file, options);
  try {
    const filter: EntryFilter = options.kind === undefined ? options : { ...options, kinds: options.kind };
    const print = options.json === true ? jsonPrinter(terminal) : linePrinter(terminal);
    const calls = new CallIndex(log);
    const needsCall = options.json !== true || asksForCall(filter);
    let next = options.from ?? 1;
    let printed = 0;
    do {
      for await (const page of pagesOf(log, next, options.to)) {
        for (const entry of page) {
          const call = needsCall ? await calls.factsOf(entry) : undefined;
          if (!passesFilter(entry, call, filter)) continue;
          print(entry, call);
          printed += 1;
        }
        next += page.length;
      }
    } while (options.follow === true && (await somethingNew(next, options.to)));
    if (printed === 0) terminal.note('no entry matches');
  } finally {
    await log.close();
  }
}

const followEveryMs = 200;

async function somethingNew(next: number, to: number | undefined): Promise<boolean> {
  if (to !== undefined && next > to) return false;
  await new Promise((resolve) => setTimeout(resolve, followEveryMs));
  return true;
}

type Print = (entry: LogEntry, call: CallFacts | undefined) => void;

function jsonPrinter(terminal: Terminal): Print {
  return (entry) => terminal.line(JSON.stringify(entryJson(entry)));
}

/** Terminals from this width on show the date and a column for the session. */
const wideColumnsMin = 120;

/** Lines of fixed columns, so that the first can be printed before the last is known. */
function linePrinter(terminal: Terminal): Print {
  const { paint, columns } = terminal;
  const isWide = columns >= wideColumnsMin;
  let headed = false;
  return (entry, call) => {
    if (!headed) terminal.line(paint('dim', `${startOf(head, isWide)}  WHAT → OUTCOME`));
    headed = true;
    const start = startOf(cellsOf(entry, call), isWide);
    const room = Math.max(30, columns - widthOf(start) - 2);
    const rest = storyOf(entry, call, room, isWide);
    terminal.line(`${start}  ${isMiss(entry) || isRefused(entry) ? paint('red', rest) : rest}`);
  };
}

interface Cells {
  readonly seq: string;
  readonly time: string;
  readonly session: string;
  readonly input: string;
}

const head: Cells = { seq: 'SEQ', time: 'TIME', session: 'SESSION', input: 'INPUT' };

function cellsOf(entry: LogEntry, call: CallFacts | undefined): Cells {
  const session = printable(sessionOfEntry(entry, call));
  return { seq: String(entry.seq), time: timeText(entry.at), session, input: entry.input.kind };
}

function startOf({ seq, time, session, input }: Cells, isWide: boolean): string {
  const moment = isWide
    ? [padded(time, 24), padded(fitted(session, 10), 10)]
    : [padded(time.length < 13 ? time : time.slice(-13, -1), 12)];
  return [padded(seq, 7, 'right'), ...moment, padded(input, 17)].join('  ');
}

/** What came in and what came of it; when there is little room, the latter is what counts. */
function storyOf(entry: LogEntry, call: CallFacts | undefined, room: number, isWide: boolean): string {
  const session = printable(sessionOfEntry(entry, call));
  const subject = `${printable(subjectOf(entry.input, call))}${isWide || session === '' ? '' : ` (${session})`}`;
  const outcome = printable(outcomeOf(entry));
  if (outcome === '') return fitted(subject, room);
  return fitted(
    `${fitted(subject, Math.max(subjectColumnsMin, room - widthOf(outcome) - 3))} → ${outcome}`,
    room,
  );
}

const subjectColumnsMin = 12;
