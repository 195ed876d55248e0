import type { Json } from '../../core/kernel/json.ts';
import { statusName } from '../../core/services/rpc/status-codes.ts';
import type { StubSource } from '../../core/services/rpc/stub.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import type { Candidate, Explanation, FieldResult } from '../../core/simulator/explain.ts';
import { printable } from '../../edges/terminal/printable.ts';
import type { Paint, Terminal } from '../../edges/terminal/terminal.ts';
import { padded, widthOf } from '../../edges/terminal/width.ts';
import { count } from './entry-story.ts';

/**
 * Why a call got its answer, for people. `entry` is the one in which the stub was chosen or missed.
 *
 *     NOT_FOUND  helloworld.Greeter/SayHello   entry 118, session t-17
 *       stubs 34 → this method 6 → this session 6 → not exhausted 5 → headers 5 → message 0
 *       closest: stubs/greeter.yaml:12 (4 of 5 fields)
 *         labels[0]  "bug "  equals "bug"  ✗ trailing space
 */
export function tellExplanation(explanation: Explanation, entry: LogEntry, terminal: Terminal): void {
  const { line, paint } = terminal;
  const { call } = explanation;
  const session = call.session === '' ? '' : `, session ${printable(call.session)}`;
  const answered = call.verdict === 'answered';
  line(
    `${paint(answered ? 'green' : 'red', statusOf(entry))}  ${paint('bold', printable(call.method))}   entry ${explanation.seq}${session}`,
  );
  for (const text of funnelLines(explanation, terminal.columns)) line(text);
  for (const text of reasonLines(entry, explanation)) line(`  ${text}`);
  if (answered) tellAnswered(explanation, terminal);
  else tellMissed(explanation, terminal);
}

/** How many stubs were left after each question; broken before an arrow where the terminal ends. */
function funnelLines({ call: { funnel } }: Explanation, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const { step, count: left } of funnel) {
    const before = lines.at(-1);
    const text = before === undefined ? `  ${step} ${left}` : `${before} → ${step} ${left}`;
    if (before === undefined) lines.push(text);
    else if (widthOf(text) <= columns) lines[lines.length - 1] = text;
    else lines.push(`    → ${step} ${left}`);
  }
  return lines;
}

function tellAnswered({ call: { chosen, others } }: Explanation, terminal: Terminal): void {
  if (chosen !== undefined) {
    terminal.line(`  answered by ${placeOf(chosen)}${rankOf(chosen)}`);
    tellFields(chosen.fields, terminal);
    if (chosen.fields.length === 0) terminal.line('    it has no rules: it matches every request');
    terminal.line(`  its output, as written: ${json(chosen.output)}`);
  }
  for (const other of others) {
    const why = other.unavailable ?? 'stood behind';
    terminal.line(terminal.paint('dim', `  also matched: ${placeOf(other)}${rankOf(other)}, ${why}`));
  }
}

function tellMissed(explanation: Explanation, terminal: Terminal): void {
  const { line, paint } = terminal;
  const [closest, ...others] = explanation.call.others;
  if (closest === undefined) line('  no stub of this method comes close');
  else {
    line(`  closest: ${placeOf(closest)} (${fieldsThatHold(closest)})${rankOf(closest)}`);
    tellFields(closest.fields, terminal);
    if (closest.unavailable === 'exhausted')
      line(`    it is exhausted: ${closest.uses} of ${closest.times} uses`);
    line(`  would have answered: ${json(closest.output)}`);
  }
  for (const other of others) line(paint('dim', `  then ${placeOf(other)} (${fieldsThatHold(other)})`));
  const { earlier } = explanation;
  if (earlier === undefined) return;
  const changed = earlier.changes.map(({ seq }) => seq).slice(0, 5);
  const before = changed.length === 0 ? '' : `, before stubs changed at ${changed.join(', ')}`;
  line(`  the same request matched at entry ${earlier.seq}${before}`);
}

/** What the numbers alone do not say. */
function reasonLines(entry: LogEntry, { call }: Explanation): readonly string[] {
  const missed = entry.outcomes.find((outcome) => outcome.kind === 'CallMissed');
  if (missed?.reason === 'unknown method') {
    return ['no loaded descriptor has this method; load its .proto file with --proto'];
  }
  if (missed?.reason === 'beyond the script')
    return ['the client sent one message more than the stub has rules for'];
  return call.verdict === 'missed' && call.funnel[0]?.count === 0 ? ['no stubs were loaded'] : [];
}

function statusOf(entry: LogEntry): string {
  const ended = entry.outcomes.find((outcome) => outcome.kind === 'CallEnded');
  return ended === undefined ? 'ANSWERING' : statusName(ended.code);
}

function tellFields(fields: readonly FieldResult[], { line, paint }: Terminal): void {
  const rows = fields.map((field) => [printable(pathOf(field)), json(field.actual), ruleOf(field)] as const);
  const widths = [0, 1, 2].map((at) => Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))));
  for (const [at, row] of rows.entries()) {
    const cells = row.map((cell, column) => padded(cell, Math.min(widths[column] ?? 0, cellColumnsMax)));
    line(`    ${[...cells, markOf(fields[at], paint)].join('  ').trimEnd()}`);
  }
}

const cellColumnsMax = 48;

function pathOf({ path, anyOf }: FieldResult): string {
  return anyOf === undefined ? path : `${path} (anyOf ${anyOf + 1})`;
}

function ruleOf({ rule, expected }: FieldResult): string {
  return `${rule} ${json(expected)}`;
}

function markOf(field: FieldResult | undefined, paint: Paint): string {
  if (field === undefined || field.ok) return '';
  return paint('red', field.hint === undefined ? '✗' : `✗ ${field.hint}`);
}

function fieldsThatHold({ fields }: Candidate): string {
  return `${fields.filter(({ ok }) => ok).length} of ${count(fields.length, 'field')}`;
}

function rankOf({ priority, uses, times }: Candidate): string {
  const parts = [
    ...(priority === 0 ? [] : [`priority ${priority}`]),
    ...(times === 0 ? [] : [`${uses} of ${count(times, 'use')}`]),
  ];
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

function placeOf({ stub, source }: Candidate): string {
  return printable(`${sourceText(source)}${source.from === 'file' ? '' : ` ${stub}`}`);
}

function sourceText({ from, file, line, by }: StubSource): string {
  if (from === 'effect') return `an effect of ${by ?? 'a stub'}:`;
  if (from === 'api' || file === undefined) return 'administration:';
  return line === undefined ? file : `${file}:${line}`;
}

const jsonCharsMax = 200;

function json(value: Json): string {
  const text = printable(JSON.stringify(value));
  return text.length > jsonCharsMax ? `${text.slice(0, jsonCharsMax)}…` : text;
}
