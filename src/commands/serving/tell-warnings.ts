import type { Violation } from '../../core/services/rpc/events.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { violationLine } from './violations.ts';

/** More warnings than this are counted; a running simulator has them all in its log. */
const warningsToldMax = 20;

/** What is allowed and yet hardly meant, on standard error. */
export function tellWarnings(warnings: readonly Violation[], { note, paintNote }: Terminal): void {
  for (const warning of warnings.slice(0, warningsToldMax)) {
    note(`${paintNote('yellow', 'warning')} ${printable(violationLine(warning))}`);
  }
  const untold = warnings.length - warningsToldMax;
  if (untold > 0) note(`${paintNote('yellow', 'warning')} and ${untold} more`);
}
