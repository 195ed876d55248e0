import type { Json } from '../../core/kernel/json.ts';
import type { Headers, Violation } from '../../core/services/rpc/events.ts';
import { statusName } from '../../core/services/rpc/status-codes.ts';
import type { Outcome } from '../../core/simulator/events.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { padded } from '../../edges/terminal/width.ts';
import { violationLine } from '../serving/violations.ts';
import type { DecodedEntry } from './decoded-entry.ts';
import { subjectOf, timeText } from './entry-story.ts';

/** One entry for people: what came in, then what came of it, in order. */
export function tellEntry(shown: DecodedEntry, { line, paint }: Terminal): void {
  const { entry, session } = shown;
  const { input } = entry;
  const who = session === '' ? '' : `   session ${printable(session)}`;
  line(`${paint('bold', `entry ${entry.seq}`)}   ${timeText(entry.at)}${who}`);
  if (shown.goesOnWith !== undefined) {
    line(`goes on with the call of entry ${shown.goesOnWith}, ${printable(shown.method ?? '')}`);
  }
  line();
  line(`${paint('cyan', input.kind)}  ${printable(subjectOf(input))}`);
  if ('headers' in input) tell(headerLines(input.headers));
  tell(jsonLines(shown.input));
  for (const [at, outcome] of entry.outcomes.entries()) {
    const words = printable(wordsOf(outcome, shown));
    line(`${paint(isBad(outcome) ? 'red' : 'green', padded(outcome.kind, 13))}  ${words}`.trimEnd());
    tell(outcomeLines(outcome, shown.outcomes[at]));
  }
  if (entry.outcomes.length === 0) line(paint('dim', 'nothing came of it'));

  function tell(lines: readonly string[]): void {
    for (const text of lines) line(`    ${text}`);
  }
}

function isBad(outcome: Outcome): boolean {
  return /Refused$|Missed$/.test(outcome.kind);
}

function wordsOf(outcome: Outcome, shown: DecodedEntry): string {
  switch (outcome.kind) {
    case 'StubMatched': {
      const place = shown.placeOf(outcome.stub);
      return `${outcome.stub}${place === undefined ? '' : ` (${place})`}, answer ${outcome.attempt} to this session`;
    }
    case 'StubExhausted':
      return `${outcome.stub} matches no more`;
    case 'ReplyDelayed':
      return `until ${timeText(outcome.until)}, ${outcome.until - shown.entry.at} ms`;
    case 'CallEnded':
      return [statusName(outcome.code), ...firstLine(outcome.message)].join('  ');
    case 'CallMissed':
      return outcome.reason;
    case 'EffectApplied':
      return `${outcome.action} ${outcome.stub}`;
    case 'StubsAccepted':
      return `${outcome.ids.length} in, ${outcome.dropped.length} dropped`;
    case 'StubsDropped':
      return outcome.ids.join(', ');
    case 'DescriptorsAccepted':
      return outcome.services.join(', ');
    case 'ResponseGiven':
      return String(outcome.status);
    default:
      return '';
  }
}

function firstLine(message: string | undefined): readonly string[] {
  const [first = ''] = (message ?? '').split('\n');
  return first === '' ? [] : [first];
}

function outcomeLines(outcome: Outcome, decoded: Json | undefined): readonly string[] {
  switch (outcome.kind) {
    case 'HeadersSent':
      return headerLines(outcome.headers);
    case 'CallEnded':
      return headerLines(outcome.trailers ?? []);
    case 'StubsRefused':
    case 'DescriptorsRefused':
    case 'EffectRefused':
      return outcome.violations.map(told);
    case 'StubsAccepted':
      return outcome.warnings.map((warning) => `warning: ${told(warning)}`);
    default:
      return jsonLines(decoded);
  }
}

function told(violation: Violation): string {
  return printable(violationLine(violation));
}

function headerLines(headers: Headers): readonly string[] {
  return headers.map(([name, value]) => printable(`${name}: ${value}`));
}

/** Longer texts are cut for people. */
const shownCharsMax = 400;

function shortened(text: string): string {
  if (text.length <= shownCharsMax) return text;
  return `${text.slice(0, shownCharsMax)}… (${text.length} characters; --json has all)`;
}

function jsonLines(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  const text =
    typeof value === 'string'
      ? shortened(value)
      : JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? shortened(part) : part), 2);
  return printable(text, { lines: true }).split('\n');
}
