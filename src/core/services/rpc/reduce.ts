import { Map } from 'immutable';
import type { Entry } from '../../kernel/entry.ts';
import { withTimer, withoutTimer } from '../../kernel/timers.ts';
import { acceptedDescriptors, acceptedStubs, upsertedStub } from './loading.ts';
import type { RpcInput, RpcOutcome, StubMatched } from './events.ts';
import { newCall, type OpenCall, type RpcState } from './state.ts';
import { addStubs, getStub, removeStubs } from './stubs.ts';

type RpcEntry = Entry<RpcInput, RpcOutcome>;

/** The rpc state after one entry. Outcomes decide; the input is read only where an outcome or an open call needs it. */
export function reduceRpc(state: RpcState, entry: RpcEntry): RpcState {
  let next = state;
  if (staysOpen(entry)) next = withInput(next, entry);
  for (const outcome of entry.outcomes) next = withOutcome(next, outcome, entry);
  return next;
}

/** What a call received no longer matters when it ends in the same entry: so it is with most unary calls. */
function staysOpen(entry: RpcEntry): boolean {
  return entry.outcomes.at(-1)?.kind !== 'CallEnded';
}

function withInput(state: RpcState, entry: RpcEntry): RpcState {
  const { input } = entry;
  switch (input.kind) {
    case 'CallOpened':
      return withCall(state, newCall(input, entry.seq, entry.at));
    case 'MessageReceived':
    case 'CallHalfClosed': {
      const call = state.calls.get(input.call);
      return call === undefined ? state : withCall(state, afterInput(call, input));
    }
    default:
      return state;
  }
}

function withOutcome(state: RpcState, outcome: RpcOutcome, entry: RpcEntry): RpcState {
  switch (outcome.kind) {
    case 'StubMatched':
      return withCallOutcome({ ...state, uses: withUse(state.uses, outcome) }, outcome);
    case 'MessageSent':
    case 'HeadersSent':
    case 'ReplyDelayed':
      return withCallOutcome(state, outcome);
    case 'CallEnded':
      return withoutCall(state, outcome.call);
    case 'StubsAccepted':
      return withStubs(state, acceptedStubs(state, entry, outcome), [...outcome.ids, ...outcome.dropped]);
    case 'StubsDropped':
      return withStubs(state, removeStubs(state.stubs, outcome.ids), outcome.ids);
    case 'DescriptorsAccepted':
      return acceptedDescriptors(state, entry.input);
    case 'EffectApplied':
      return withCallOutcome(withEffect(state, outcome), outcome);
    case 'EffectRefused':
      return withCallOutcome(state, outcome);
    default:
      return state;
  }
}

/** The call after the client did something. Deciding and reducing share this, so they cannot disagree. */
export function afterInput(
  call: OpenCall,
  input: Extract<RpcInput, { kind: 'MessageReceived' | 'CallHalfClosed' }>,
): OpenCall {
  if (input.kind === 'CallHalfClosed') return { ...call, halfClosed: true };
  return {
    ...call,
    received: call.received.push(input.bytes),
    receivedBytes: call.receivedBytes + input.bytes.length,
  };
}

/** The call after something was decided for it. */
export function afterOutcome(call: OpenCall, outcome: RpcOutcome, state: RpcState): OpenCall {
  switch (outcome.kind) {
    case 'StubMatched': {
      const stub = getStub(state.stubs, outcome.stub) ?? call.stub;
      return { ...call, stub, attempt: outcome.attempt, effectsDone: false };
    }
    case 'ReplyDelayed':
      return { ...call, waitsUntil: outcome.until };
    case 'HeadersSent':
      return { ...call, headersSent: true };
    case 'MessageSent':
      return { ...call, sent: call.sent + 1, waitsUntil: undefined };
    case 'EffectApplied':
    case 'EffectRefused':
      return { ...call, effectsDone: true };
    default:
      return call;
  }
}

function withCallOutcome(state: RpcState, outcome: Extract<RpcOutcome, { call: number }>): RpcState {
  const call = state.calls.get(outcome.call);
  return call === undefined ? state : withCall(state, afterOutcome(call, outcome, state));
}

function withCall(state: RpcState, call: OpenCall): RpcState {
  const before = state.calls.get(call.id);
  const was = before === undefined ? undefined : dueMoment(before);
  const is = dueMoment(call);
  let { timers } = state;
  if (was !== is && was !== undefined) timers = withoutTimer(timers, was, call.id);
  if (was !== is && is !== undefined) timers = withTimer(timers, is, call.id);
  return { ...state, calls: state.calls.set(call.id, call), timers };
}

function withoutCall(state: RpcState, id: number): RpcState {
  const call = state.calls.get(id);
  if (call === undefined) return state;
  const due = dueMoment(call);
  const timers = due === undefined ? state.timers : withoutTimer(state.timers, due, id);
  return { ...state, calls: state.calls.delete(id), timers };
}

/** When the call goes on by itself, if it does. */
export function dueMoment(call: OpenCall): number | undefined {
  if (call.waitsUntil === undefined) return call.deadlineAt;
  if (call.deadlineAt === undefined) return call.waitsUntil;
  return Math.min(call.waitsUntil, call.deadlineAt);
}

function withUse(uses: RpcState['uses'], { stub, session, attempt }: StubMatched): RpcState['uses'] {
  return uses.set(stub, (uses.get(stub) ?? noUses).set(session, attempt));
}

const noUses = Map<string, number>();

/** A stub that is loaded again, or dropped, is counted from the start. */
function withStubs(state: RpcState, stubs: RpcState['stubs'], changed: readonly string[]): RpcState {
  const counted = changed.filter((id) => state.uses.has(id));
  return { ...state, stubs, uses: counted.length === 0 ? state.uses : state.uses.deleteAll(counted) };
}

function withEffect(state: RpcState, outcome: Extract<RpcOutcome, { kind: 'EffectApplied' }>): RpcState {
  if (outcome.action === 'delete')
    return withStubs(state, removeStubs(state.stubs, [outcome.stub]), [outcome.stub]);
  const { stubs } = addStubs(state.stubs, [upsertedStub(state, outcome)], state.descriptors);
  return withStubs(state, stubs, [outcome.stub]);
}
