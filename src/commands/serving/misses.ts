import { callFactsOf, continuedCall, isMiss } from '../../core/simulator/entry-filter.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { subjectOf } from '../reading/entry-story.ts';

/** Notes are written at most this often; the ones between are counted. */
const noteEveryMs = 100;

/** Says on standard error what nothing answered, while it happens. `take` is where to look it up. */
export function tellMisses(simulator: Simulator, take: string | undefined, terminal: Terminal): void {
  let quietUntil = 0;
  let untold = 0;
  simulator.onCommitted((entry) => {
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
    methodOf(simulator, entry).then(
      (method) => note(`${printable(method)}${more}`, look),
      () => note(`entry ${entry.seq}${more}`, look),
    );
  });

  function note(what: string, look: string): void {
    const { paintNote } = terminal;
    terminal.note(`${paintNote('yellow', 'miss')} ${what}${paintNote('dim', look)}`);
  }
}

/** A call may be missed in a later entry than the one that says its method. */
async function methodOf(simulator: Simulator, entry: LogEntry): Promise<string> {
  const call = continuedCall(entry.input);
  const [opened] = call === undefined ? [] : await simulator.entries(call, 1);
  const facts = opened === undefined ? undefined : callFactsOf(opened.input);
  return facts === undefined ? subjectOf(entry.input) : facts.method.slice(1);
}
