import { isMiss } from '../../core/simulator/entry-filter.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { subjectOf } from '../reading/entry-story.ts';

/** Notes are written at most this often; the ones between are counted. */
const noteEveryMs = 100;

/** Says on standard error what nothing answered, while it happens. `take` is where to look it up. */
export function missNotes(terminal: Terminal, take: string | undefined): (entry: LogEntry) => void {
  let quietUntil = 0;
  let untold = 0;
  return (entry) => {
    if (!isMiss(entry)) return;
    const now = performance.now();
    if (now < quietUntil) {
      untold += 1;
      return;
    }
    quietUntil = now + noteEveryMs;
    const more = untold === 0 ? '' : ` (and ${untold} before it)`;
    untold = 0;
    const look = take === undefined ? '' : `   doubletake explain ${take} ${entry.seq}`;
    terminal.note(
      `${terminal.paintNote('yellow', 'miss')} ${printable(subjectOf(entry.input))}${more}${terminal.paintNote('dim', look)}`,
    );
  };
}
