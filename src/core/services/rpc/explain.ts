import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Json } from '../../kernel/json.ts';
import { decodeMessage, messageJson } from './codec.ts';
import { findMethod } from './descriptors.ts';
import type { RpcInput, RpcOutcome } from './events.ts';
import { explainHeaders } from './matching/explain-headers.ts';
import { explainInput, type FieldResult } from './matching/explain-input.ts';
import {
  compileStub,
  compareRank,
  matchesHeard,
  type CompiledStub,
  type Heard,
} from './matching/compiled-stub.ts';
import { headerTexts } from './matching/header-matcher.ts';
import { nearnessOf, subjectsOf } from './matching/nearness-of-stub.ts';
import { afterInput } from './reduce.ts';
import { funnel, type Query } from './selection.ts';
import { isExhausted, newCall, usesOf, type OpenCall, type RpcState } from './state.ts';
import type { Stub, StubSource } from './stub.ts';
import { allStubs } from './stubs.ts';

/** Why a call got its answer, or none: worked out from the log when somebody asks. */
export interface CallExplanation {
  /** The seq of the entry that opened the call. */
  readonly call: number;
  /** `package.Service/Method`. */
  readonly method: string;
  readonly session: string;
  readonly verdict: 'answered' | 'missed';
  /** How many stubs were left after each question, in the order in which they are asked. */
  readonly funnel: readonly FunnelStep[];
  /** What the client had said, decoded. */
  readonly messages: readonly Json[];
  /** The stub that answered. */
  readonly chosen?: Candidate;
  /** Best first: for an answer, what else matched and stood behind; for a miss, what came closest. */
  readonly others: readonly Candidate[];
}

export interface FunnelStep {
  readonly step: 'stubs' | 'this method' | 'this session' | 'not exhausted' | 'headers' | 'message';
  readonly count: number;
}

export interface Candidate {
  readonly stub: string;
  readonly source: StubSource;
  readonly priority: number;
  readonly matched: boolean;
  /** Why it does not count although its rules hold. */
  readonly unavailable?: 'exhausted';
  readonly uses: number;
  readonly times: number;
  /** Every rule of the stub against what came, header rules first. */
  readonly fields: readonly FieldResult[];
  /** What it would have answered, or answered: its output as written. */
  readonly output: Json;
}

/** Stubs that an explanation shows beside the chosen one. */
export const explainedOthersMax = 5;

/**
 * Explains the choice of a stub in one entry: `input` with its `outcomes` in the state before it. `undefined` when no
 * stub was chosen or missed there.
 */
export function explainCall(
  state: RpcState,
  input: RpcInput,
  outcomes: readonly RpcOutcome[],
  seq: number,
  at: number,
): CallExplanation | undefined {
  const verdict = outcomes.find((outcome) => outcome.kind === 'StubMatched' || outcome.kind === 'CallMissed');
  const call = callAt(state, input, seq, at);
  const method = call === undefined ? undefined : findMethod(state.descriptors, call.method);
  if (verdict === undefined || call === undefined) return undefined;
  const head = {
    call: call.id,
    method: call.method.slice(1),
    session: call.session,
    verdict: verdict.kind === 'StubMatched' ? ('answered' as const) : ('missed' as const),
  };
  if (method === undefined) return { ...head, funnel: [], messages: [], others: [] };
  const query = queryOf(call, method);
  const chosen = verdict.kind === 'StubMatched' ? verdict.stub : undefined;
  const candidates = rankedCandidates(state, query, chosen);
  return {
    ...head,
    funnel: funnelSteps(state, query),
    messages: query.messages.map((message) => messageJson(message, method.input, state.descriptors)),
    ...candidates,
  };
}

function callAt(state: RpcState, input: RpcInput, seq: number, at: number): OpenCall | undefined {
  if (input.kind === 'CallOpened') return newCall(input, seq, at);
  if (input.kind !== 'MessageReceived' && input.kind !== 'CallHalfClosed') return undefined;
  const call = state.calls.get(input.call);
  return call === undefined ? undefined : afterInput(call, input);
}

function queryOf(call: OpenCall, method: DescMethod): Query {
  const messages = call.received.toArray().flatMap((bytes): readonly Message[] => {
    const decoded = decodeMessage(method.input, bytes);
    return decoded.ok ? [decoded.message] : [];
  });
  return { method, session: call.session, headers: call.headers, messages, complete: call.halfClosed };
}

function funnelSteps(state: RpcState, query: Query): readonly FunnelStep[] {
  const counts = funnel(state.stubs, query, (stub) => !isExhausted(state, stub, query.session));
  return [
    { step: 'stubs', count: counts.stubs },
    { step: 'this method', count: counts.ofMethod },
    { step: 'this session', count: counts.visible },
    { step: 'not exhausted', count: counts.available },
    { step: 'headers', count: counts.headers },
    { step: 'message', count: counts.messages },
  ];
}

interface Ranked {
  readonly compiled: CompiledStub;
  readonly matched: boolean;
  readonly nearness: number;
}

function rankedCandidates(
  state: RpcState,
  query: Query,
  chosen: string | undefined,
): Pick<CallExplanation, 'chosen' | 'others'> {
  const heard: Heard = {
    headers: headerTexts(query.headers),
    messages: query.messages,
    complete: query.complete ?? true,
  };
  const subjects = subjectsOf(heard);
  const ranked = allStubs(state.stubs)
    .filter((stub) => isFor(stub, query))
    .map((stub): Ranked => {
      const { compiled } = compileStub(stub, query.method, state.descriptors.registry);
      return { compiled, matched: matchesHeard(compiled, heard), nearness: nearnessOf(compiled, subjects) };
    })
    .sort(byMatchThenNearness);
  const toCandidate = (item: Ranked): Candidate => candidate(state, query, heard, item);
  const answered = ranked.find(({ compiled }) => compiled.stub.id === chosen);
  const rest = ranked.filter(({ compiled, matched, nearness }) => {
    if (compiled.stub.id === chosen) return false;
    return chosen === undefined ? matched || nearness >= 0.5 : matched;
  });
  return {
    ...(answered === undefined ? {} : { chosen: toCandidate(answered) }),
    others: rest.slice(0, explainedOthersMax).map(toCandidate),
  };
}

function isFor({ definition, session }: Stub, query: Query): boolean {
  if (definition.method !== query.method.name) return false;
  if (session !== '' && session !== query.session) return false;
  const { typeName } = query.method.parent;
  const { service } = definition;
  return service === typeName || (!service.includes('.') && typeName.endsWith(`.${service}`));
}

function byMatchThenNearness(a: Ranked, b: Ranked): number {
  return (
    Number(b.matched) - Number(a.matched) ||
    (a.matched ? 0 : b.nearness - a.nearness) ||
    compareRank(a.compiled, b.compiled)
  );
}

function candidate(state: RpcState, query: Query, heard: Heard, { compiled, matched }: Ranked): Candidate {
  const { stub } = compiled;
  const { definition } = stub;
  return {
    stub: stub.id,
    source: stub.source,
    priority: compiled.priority,
    matched,
    ...(isExhausted(state, stub, query.session) ? { unavailable: 'exhausted' as const } : {}),
    uses: usesOf(state, stub.id, query.session),
    times: definition.options?.times ?? 0,
    fields: [
      ...(compiled.headers === undefined ? [] : explainHeaders(compiled.headers, heard.headers)),
      ...explainMessages(compiled, heard.messages),
    ],
    output: definition.output as unknown as Json,
  };
}

/** A singular `input` is explained on the message that it comes closest to; a script message by message. */
function explainMessages(compiled: CompiledStub, messages: readonly Message[]): readonly FieldResult[] {
  const { inputs, shape } = compiled;
  const [first] = inputs;
  if (first === undefined || messages.length === 0) return [];
  if (shape === 'input') {
    const results = messages.map((message) => explainInput(first, message));
    return results.reduce((best, next) => (failures(next) < failures(best) ? next : best));
  }
  return messages.flatMap((message, index) => {
    const matcher = inputs.length === 1 ? first : inputs[index];
    const results = matcher === undefined ? [] : explainInput(matcher, message);
    return results.map((result) => ({ ...result, path: `[${index}].${result.path}` }));
  });
}

function failures(results: readonly FieldResult[]): number {
  return results.filter(({ ok }) => !ok).length;
}
