import { answerCall, hearHalfClose, hearMessage, resumeCall, type DecideContext } from './calls.ts';
import type { CallAborted, CallCancelled, RpcInput, RpcOutcome } from './events.ts';
import { decideDescriptorsLoaded, decideStubsLoaded, decideStubsRemoved } from './loading.ts';
import { firstTimer, timersInOrder } from '../../kernel/timers.ts';
import type { RpcState } from './state.ts';
import { statusCodes } from './status-codes.ts';
import { unreachable } from '../../kernel/unreachable.ts';

/** What comes of an input to the rpc service. Pure: the same state, input and context give the same outcomes. */
export function decideRpc(state: RpcState, input: RpcInput, context: DecideContext): readonly RpcOutcome[] {
  switch (input.kind) {
    case 'CallOpened':
      return answerCall(state, input, context);
    case 'MessageReceived':
      return hearMessage(state, input, context);
    case 'CallHalfClosed':
      return hearHalfClose(state, input, context);
    case 'CallCancelled':
      return endCancelled(state, input);
    case 'CallAborted':
      return endAborted(state, input, context);
    case 'StubsLoaded':
      return decideStubsLoaded(state, input, context.randomness);
    case 'StubsRemoved':
      return decideStubsRemoved(state, input);
    case 'DescriptorsLoaded':
      return decideDescriptorsLoaded(state, input);
    default:
      return unreachable(input);
  }
}

/** The moment at which an open call goes on by itself, the earliest of all. */
export function nextDueRpc(state: RpcState): number | undefined {
  return firstTimer(state.timers)?.at;
}

/**
 * The moment at which a reply that is held back goes out, the earliest of all. The deadline of a call that waits for its
 * client is none: while somebody outside may still speak, time has no reason to jump.
 */
export function nextReplyRpc(state: RpcState): number | undefined {
  for (const { at, id } of timersInOrder(state.timers)) {
    if (state.calls.get(id)?.waitsUntil !== undefined) return at;
  }
  return undefined;
}

/** Lets the first call go on whose moment has come; one call at a time, so that each sees what the one before did. */
export function decideDueRpc(state: RpcState, context: DecideContext): readonly RpcOutcome[] {
  const due = firstTimer(state.timers);
  if (due === undefined || due.at > context.at) return [];
  const call = state.calls.get(due.id);
  return call === undefined ? [] : resumeCall(state, call, context);
}

function endCancelled(state: RpcState, input: CallCancelled): readonly RpcOutcome[] {
  if (!state.calls.has(input.call)) return [];
  return [{ kind: 'CallEnded', call: input.call, ...cancellations[input.reason] }];
}

const cancellations = {
  client: { code: statusCodes.CANCELLED, message: 'the client cancelled the call' },
  deadline: { code: statusCodes.DEADLINE_EXCEEDED, message: 'the deadline of the call has passed' },
  shutdown: { code: statusCodes.UNAVAILABLE, message: 'the server is shutting down' },
} as const;

function endAborted(state: RpcState, input: CallAborted, context: DecideContext): readonly RpcOutcome[] {
  if (input.call !== undefined && !state.calls.has(input.call)) return [];
  return [{ kind: 'CallEnded', call: input.call ?? context.seq, code: input.code, message: input.message }];
}
