import { valuesOf } from '../../kernel/sorted-set.ts';
import { methodPath } from './descriptors.ts';
import { compareRank, headersMatch, messagesMatch, type CompiledStub } from './matching/compiled-stub.ts';
import { headerTexts } from './matching/header-matcher.ts';
import { closestStub, selectStub, type Query } from './selection.ts';
import { isExhausted, usesOf, type RpcState } from './state.ts';

/** How a call would be matched: what each step leaves over, and what became of each stub of the method. */
export interface Inspection {
  /** The stub that would answer. */
  readonly matchedStubId?: string;
  /** When none would: the one that comes closest. */
  readonly similarStubId?: string;
  readonly stages: readonly Stage[];
  /** Best first, at most `candidatesMax`. */
  readonly candidates: readonly Candidate[];
  readonly candidatesLeftOut: number;
}

export type StageName = 'session' | 'times' | 'headers' | 'input';

export interface Stage {
  readonly name: StageName;
  readonly before: number;
  readonly after: number;
  readonly removed: number;
}

export interface Candidate {
  readonly id: string;
  readonly service: string;
  readonly method: string;
  readonly session: string;
  readonly priority: number;
  /** 0 is without limit. */
  readonly times: number;
  /** By the session that asks. */
  readonly used: number;
  /** How many fields its rules declare. */
  readonly specificity: number;
  /** Of two stubs that match, the one with the higher score answers (but see client streams in `selectStub`). */
  readonly score: number;
  readonly visibleBySession: boolean;
  readonly withinTimes: boolean;
  readonly headersMatched: boolean;
  readonly inputMatched: boolean;
  /** True for the one that answers. */
  readonly matched: boolean;
  readonly excludedBy: readonly StageName[];
  readonly events: readonly CandidateEvent[];
}

/** Up to the first stage that drops it. */
export interface CandidateEvent {
  readonly stage: StageName | 'selection';
  readonly result: 'passed' | 'dropped' | 'selected';
  readonly reason?: string;
}

/** Stubs that an inspection tells of one by one. */
export const candidatesMax = 1_000;

const stageNames: readonly StageName[] = ['session', 'times', 'headers', 'input'];

/** Looks at every stub of the method, whatever the index says of it. Nothing is used up. */
export function inspectCall(state: RpcState, query: Query): Inspection {
  const selected = selectStub(state.stubs, query, (stub) => !isExhausted(state, stub, query.session))?.stub
    .id;
  const similar = selected === undefined ? closestStub(state.stubs, query)?.id : undefined;
  const stubs = stubsOfMethod(state, query);
  const candidates = stubs.map((stub, index) =>
    candidateOf(state, query, stub, stubs.length - index, selected),
  );
  return {
    ...(selected !== undefined && { matchedStubId: selected }),
    ...(similar !== undefined && { similarStubId: similar }),
    stages: stagesOf(candidates),
    candidates: candidates.slice(0, candidatesMax),
    candidatesLeftOut: Math.max(0, candidates.length - candidatesMax),
  };
}

function stubsOfMethod({ stubs }: RpcState, { method }: Query): readonly CompiledStub[] {
  const sessions = stubs.index.get(methodPath(method));
  if (sessions === undefined) return [];
  return [...sessions.values()].flatMap(({ ranked }) => [...valuesOf(ranked)]).sort(compareRank);
}

function candidateOf(
  state: RpcState,
  query: Query,
  compiled: CompiledStub,
  score: number,
  selected: string | undefined,
): Candidate {
  const { stub, priority, fields } = compiled;
  const { definition, id, session } = stub;
  const passed: Readonly<Record<StageName, boolean>> = {
    session: session === '' || session === query.session,
    times: !isExhausted(state, stub, query.session),
    headers: headersMatch(compiled, headerTexts(query.headers)),
    input: messagesMatch(compiled, query.messages, query.complete ?? true),
  };
  return {
    id,
    service: definition.service,
    method: definition.method,
    session,
    priority,
    times: definition.options?.times ?? 0,
    used: usesOf(state, id, query.session),
    specificity: fields,
    score,
    visibleBySession: passed.session,
    withinTimes: passed.times,
    headersMatched: passed.headers,
    inputMatched: passed.input,
    matched: id === selected,
    excludedBy: stageNames.filter((stage) => !passed[stage]),
    events: eventsOf(passed, id === selected),
  };
}

function eventsOf(
  passed: Readonly<Record<StageName, boolean>>,
  isSelected: boolean,
): readonly CandidateEvent[] {
  const events: CandidateEvent[] = [];
  for (const stage of stageNames) {
    if (!passed[stage]) return [...events, { stage, result: 'dropped', reason: reasons[stage] }];
    events.push({ stage, result: 'passed' });
  }
  return isSelected
    ? [...events, { stage: 'selection', result: 'selected' }]
    : [...events, { stage: 'selection', result: 'dropped', reason: 'another stub comes first' }];
}

const reasons: Readonly<Record<StageName, string>> = {
  session: 'it belongs to another session',
  times: 'it has answered this session as often as it may',
  headers: 'its rules on headers do not hold',
  input: 'its rules on messages do not hold',
};

function stagesOf(candidates: readonly Candidate[]): readonly Stage[] {
  let left = candidates;
  return stageNames.map((name) => {
    const before = left.length;
    left = left.filter(({ excludedBy }) => !excludedBy.includes(name));
    return { name, before, after: left.length, removed: before - left.length };
  });
}
