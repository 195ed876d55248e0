import { unreachable } from '../../core/kernel/unreachable.ts';
import { statusName } from '../../core/services/rpc/status-codes.ts';
import type { CallCancelled, CallHalfClosed, MessageReceived } from '../../core/services/rpc/events.ts';
import type { CallFacts } from '../../core/simulator/entry-filter.ts';
import type { Input, LogEntry, Outcome } from '../../core/simulator/events.ts';

/**
 * What an input was, in a few words: the method, the file, the path. `call` is the call that it goes on with, as far as that
 * is known. Not yet safe to print.
 */
export function subjectOf(input: Input, call?: CallFacts): string {
  if ('call' in input && input.kind !== 'CallAborted') {
    return [
      `call ${input.call}`,
      ...(call === undefined ? [] : [call.method.slice(1)]),
      ...detailOf(input),
    ].join(', ');
  }
  switch (input.kind) {
    case 'DescriptorsLoaded':
      return input.source;
    case 'StubsLoaded':
      return input.source.file ?? input.source.from;
    case 'StubsRemoved':
      return removalOf(input);
    case 'CallOpened':
    case 'CallAborted':
      return input.method.replace(/^\//, '');
    case 'ClockAdvanced':
      return timeText(input.to);
    case 'ClockModeChanged':
      return input.mode;
    case 'HttpRequestReceived':
      return `${input.method} ${input.target}`;
    default:
      return unreachable(input);
  }
}

function detailOf(input: MessageReceived | CallHalfClosed | CallCancelled): readonly string[] {
  if (input.kind === 'MessageReceived') return [count(input.bytes.length, 'byte')];
  return input.kind === 'CallCancelled' ? [`by ${input.reason}`] : [];
}

/** What came of it, in a few words. Not yet safe to print. */
export function outcomeOf(entry: LogEntry): string {
  const words: string[] = [];
  let messages = 0;
  for (const outcome of entry.outcomes) {
    if (outcome.kind === 'MessageSent') messages += 1;
    else words.push(...wordsOf(outcome, entry));
  }
  if (messages > 1 || (messages === 1 && !words.includes('OK'))) words.unshift(count(messages, 'message'));
  return words.join(', ');
}

/** What was asked for was refused. */
export function isRefused(entry: LogEntry): boolean {
  return entry.outcomes.some(
    ({ kind }) => kind === 'StubsRefused' || kind === 'DescriptorsRefused' || kind === 'EffectRefused',
  );
}

/** `2026-03-10T09:00:00.000Z`. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

function wordsOf(outcome: Exclude<Outcome, { kind: 'MessageSent' }>, entry: LogEntry): readonly string[] {
  switch (outcome.kind) {
    case 'DescriptorsAccepted':
      return [count(outcome.files.length, 'file'), count(outcome.services.length, 'service')];
    case 'DescriptorsRefused':
    case 'StubsRefused':
      return [`refused: ${count(outcome.violations.length, 'problem')}`];
    case 'StubsAccepted':
      return [
        count(outcome.ids.length, 'stub'),
        ...(outcome.dropped.length > 0 ? [`${outcome.dropped.length} dropped`] : []),
        ...(outcome.warnings.length > 0 ? [count(outcome.warnings.length, 'warning')] : []),
      ];
    case 'StubsDropped':
      return [`${count(outcome.ids.length, 'stub')} dropped`];
    case 'StubMatched':
      return [`stub ${shortId(outcome.stub)}`];
    case 'StubExhausted':
      return ['now exhausted'];
    case 'ReplyDelayed':
      return [`waits ${outcome.until - entry.at} ms`];
    case 'HeadersSent':
      return [];
    case 'CallEnded':
      return [statusName(outcome.code)];
    case 'CallMissed':
      return [`miss: ${outcome.reason}`];
    case 'RequestMissed':
      return ['miss'];
    case 'EffectApplied':
      return [`${outcome.action} ${shortId(outcome.stub)}`];
    case 'EffectRefused':
      return [`effect refused: ${count(outcome.violations.length, 'problem')}`];
    case 'ResponseGiven':
      return [String(outcome.status)];
    default:
      return unreachable(outcome);
  }
}

function removalOf(input: Extract<Input, { kind: 'StubsRemoved' }>): string {
  const conditions = [
    ...(input.ids === undefined ? [] : [input.ids.map(shortId).join(', ')]),
    ...(input.session === undefined ? [] : [`session ${input.session}`]),
    ...(input.file === undefined ? [] : [input.file]),
  ];
  return conditions.length === 0 ? 'all stubs' : conditions.join(', ');
}

/** The beginning of a UUID is enough to find it again; other ids stay as they are. */
function shortId(id: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(id) ? id.slice(0, 8) : id;
}

/** `1 stub`, `2 stubs`. */
export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
