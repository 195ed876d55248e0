import type { RpcInput, RpcOutcome } from '../services/rpc/events.ts';
import { explainCall, type CallExplanation } from '../services/rpc/explain.ts';
import type { LogEntry } from './events.ts';
import type { World } from './world.ts';

export type { CallExplanation, Candidate } from '../services/rpc/explain.ts';
export type { FieldResult } from '../services/rpc/matching/explain-input.ts';

/** Where explanations look: a running simulator, or a log with `worldAtLog`. */
export interface Past {
  entries(from: number, limit: number): Promise<readonly LogEntry[]>;
  worldAt(seq: number): Promise<World>;
}

export interface Explanation {
  /** The entry in which the stub was chosen or missed: the one asked for, or the one that decided its call. */
  readonly seq: number;
  readonly at: number;
  readonly call: CallExplanation;
  /** The same request, answered earlier: where, by which stub, and what was loaded or dropped since. */
  readonly earlier?: EarlierAnswer;
}

export interface EarlierAnswer {
  readonly seq: number;
  readonly stub: string;
  /** Entries in between that changed stubs, oldest first. */
  readonly changes: readonly { readonly seq: number; readonly kind: string }[];
}

/** Entries before a miss that are searched for the same request. */
export const earlierEntriesMax = 20_000;
/** Entries after one that decided nothing that are searched for the one that decided its call. */
export const laterEntriesMax = 20_000;
const pageEntries = 1000;

/**
 * Why the call of the entry `seq` got this answer, or none. `undefined` when the entry is of no call, or of one that no
 * stub was asked for. Rejects with a `RangeError` when there is no such entry.
 */
export async function explainEntry(past: Past, seq: number): Promise<Explanation | undefined> {
  const [asked] = await past.entries(seq, 1);
  if (asked === undefined || asked.seq !== seq) throw new RangeError(`there is no entry ${seq}`);
  const entry = await decidingEntry(past, asked);
  if (entry === undefined) return undefined;
  const before = await past.worldAt(entry.seq - 1);
  // Inputs and outcomes of other services are of no kind that this one looks for.
  const call = explainCall(
    before.rpc,
    entry.input as RpcInput,
    entry.outcomes as readonly RpcOutcome[],
    entry.seq,
    entry.at,
  );
  if (call === undefined) return undefined;
  const earlier = call.verdict === 'missed' ? await earlierAnswer(past, entry) : undefined;
  return { seq: entry.seq, at: entry.at, call, ...(earlier === undefined ? {} : { earlier }) };
}

/**
 * The last entry, up to the one asked for, in which the call found or missed a stub; or else the first after it: what a
 * client streams is answered by a later entry.
 */
async function decidingEntry(past: Past, asked: LogEntry): Promise<LogEntry | undefined> {
  if (asked.outcomes.some(isVerdict)) return asked;
  const call = callOf(asked);
  if (call === undefined) return undefined;
  const decides = (entry: LogEntry) =>
    entry.outcomes.some((outcome) => isVerdict(outcome) && outcome.call === call);
  let found: LogEntry | undefined;
  for await (const page of pages(past, call, asked.seq)) found = page.findLast(decides) ?? found;
  if (found !== undefined) return found;
  for await (const page of pages(past, asked.seq + 1, asked.seq + laterEntriesMax)) {
    found = page.find(decides);
    if (found !== undefined || page.some((entry) => endsCall(entry, call))) return found;
  }
  return undefined;
}

async function* pages(past: Past, from: number, to: number): AsyncGenerator<readonly LogEntry[]> {
  for (let next = from; next <= to;) {
    const page = await past.entries(next, Math.min(pageEntries, to - next + 1));
    if (page.length === 0) return;
    yield page;
    next += page.length;
  }
}

function endsCall(entry: LogEntry, call: number): boolean {
  return entry.outcomes.some((outcome) => outcome.kind === 'CallEnded' && outcome.call === call);
}

type Verdict = Extract<LogEntry['outcomes'][number], { kind: 'StubMatched' | 'CallMissed' }>;

function isVerdict(outcome: LogEntry['outcomes'][number]): outcome is Verdict {
  return outcome.kind === 'StubMatched' || outcome.kind === 'CallMissed';
}

function callOf(entry: LogEntry): number | undefined {
  if (entry.input.kind === 'CallOpened') return entry.seq;
  if ('call' in entry.input) return entry.input.call;
  const outcome = entry.outcomes.find((item) => 'call' in item);
  return outcome !== undefined && 'call' in outcome ? outcome.call : undefined;
}

/** Looks back for the same bytes to the same method in the same session, answered by a stub. */
async function earlierAnswer(past: Past, missed: LogEntry): Promise<EarlierAnswer | undefined> {
  const changes: { seq: number; kind: string }[] = [];
  const oldest = Math.max(1, missed.seq - earlierEntriesMax);
  for (let end = missed.seq - 1; end >= oldest; end -= pageEntries) {
    const from = Math.max(oldest, end - pageEntries + 1);
    const page = await past.entries(from, end - from + 1);
    for (const entry of page.toReversed()) {
      const stub = sameRequest(entry, missed) ? entry.outcomes.find(isVerdict) : undefined;
      if (stub?.kind === 'StubMatched')
        return { seq: entry.seq, stub: stub.stub, changes: changes.toReversed() };
      if (changesStubs(entry)) changes.push({ seq: entry.seq, kind: entry.input.kind });
    }
  }
  return undefined;
}

function sameRequest({ input: a }: LogEntry, { input: b }: LogEntry): boolean {
  if (a.kind !== 'CallOpened' || b.kind !== 'CallOpened') return false;
  if (a.method !== b.method || a.session !== b.session) return false;
  const mine = a.bytes;
  const theirs = b.bytes;
  if (mine === undefined || theirs === undefined || mine.length !== theirs.length) return false;
  return mine.every((byte, index) => byte === theirs[index]);
}

function changesStubs(entry: LogEntry): boolean {
  return entry.outcomes.some(
    ({ kind }) =>
      kind === 'StubsAccepted' ||
      kind === 'StubsDropped' ||
      kind === 'EffectApplied' ||
      kind === 'StubExhausted',
  );
}
