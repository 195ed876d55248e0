import { auditTime, buffer, concatMap, filter, Observable, share } from 'rxjs';
import { callFactsOf, continuedCall, isMiss } from '../../core/simulator/entry-filter.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { subjectOf } from '../reading/entry-story.ts';

/** Misses that come within this time are told in one note. */
const gatheredMs = 100;

/** Says on standard error what nothing answered, while it happens. `take` is where to look it up. */
export function tellMisses(simulator: Simulator, take: string | undefined, terminal: Terminal): () => void {
  const { note, paintNote } = terminal;
  const misses = committed(simulator).pipe(filter(isMiss), share());
  const told = misses
    .pipe(
      buffer(misses.pipe(auditTime(gatheredMs))),
      concatMap((gathered) => noteOf(simulator, gathered)),
    )
    .subscribe(({ text, seq }) => {
      const look = take === undefined ? '' : paintNote('dim', `   doubletake explain ${take} ${seq}`);
      note(`${paintNote('yellow', 'miss')} ${text}${look}`);
    });
  return () => told.unsubscribe();
}

/** Entries as they become durable. */
function committed(simulator: Simulator): Observable<LogEntry> {
  return new Observable((subscriber) => simulator.onCommitted((entry) => subscriber.next(entry)));
}

async function noteOf(
  simulator: Simulator,
  misses: readonly LogEntry[],
): Promise<{ readonly text: string; readonly seq: number }> {
  const last = misses.at(-1);
  const more = misses.length === 1 ? '' : ` (and ${misses.length - 1} before it)`;
  const subject = last === undefined ? '' : await methodOf(simulator, last);
  return { text: `${printable(subject)}${more}`, seq: last?.seq ?? 0 };
}

/** A call may be missed in a later entry than the one that says its method. */
async function methodOf(simulator: Simulator, entry: LogEntry): Promise<string> {
  const call = continuedCall(entry.input);
  const [opened] = call === undefined ? [] : await simulator.entries(call, 1);
  const facts = opened === undefined ? undefined : callFactsOf(opened.input);
  return facts === undefined ? subjectOf(entry.input) : facts.method.slice(1);
}
