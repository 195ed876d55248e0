import { randomnessAt } from '../../kernel/randomness.ts';
import { resumeCall } from './calls.ts';
import { decideRpc } from './decide.ts';
import type { Headers, RpcInput, RpcOutcome } from './events.ts';
import { dueMoment, reduceRpc } from './reduce.ts';
import type { RpcState } from './state.ts';
import type { Stub } from './stub.ts';
import { addStubs, noStubs } from './stubs.ts';

/** A call that nobody makes. */
export interface RehearsedCall {
  /** `/package.Service/Method`. */
  readonly method: string;
  /** The client may send any number of messages; otherwise the first of `messages` is the call's one. */
  readonly clientStreaming: boolean;
  readonly session: string;
  readonly headers: Headers;
  /** Encoded. */
  readonly messages: readonly Uint8Array[];
}

/** Where the call would stand in the log. */
export interface Moment {
  readonly seed: string;
  readonly seq: number;
  readonly at: number;
}

/** Delayed messages of one rehearsed call; the rest is left out. */
export const rehearsalStepsMax = 10_000;

/**
 * All outcomes that a call would have if it were made at that moment, until it ends or waits for its client; delays pass
 * at once. The state that is given stays as it is, so nothing is used up.
 */
export function rehearseCall(state: RpcState, call: RehearsedCall, moment: Moment): readonly RpcOutcome[] {
  const rehearsal: Rehearsal = { state, outcomes: [], seq: moment.seq, at: moment.at, seed: moment.seed };
  const id = moment.seq;
  for (const input of inputsOf(call, id)) {
    take(rehearsal, input, (context) => decideRpc(rehearsal.state, input, context));
  }
  for (let step = 0; step < rehearsalStepsMax && letTimePass(rehearsal, id); step += 1);
  return rehearsal.outcomes;
}

interface Rehearsal {
  state: RpcState;
  readonly outcomes: RpcOutcome[];
  seq: number;
  at: number;
  readonly seed: string;
}

function inputsOf(call: RehearsedCall, id: number): readonly RpcInput[] {
  const { method, session, headers, messages, clientStreaming } = call;
  const opened = { kind: 'CallOpened', method, session, headers } as const;
  if (!clientStreaming) return [{ ...opened, bytes: messages[0] ?? new Uint8Array(0) }];
  return [
    opened,
    ...messages.map((bytes) => ({ kind: 'MessageReceived', call: id, bytes }) as const),
    { kind: 'CallHalfClosed', call: id },
  ];
}

/** False when the call has ended, or waits for something else than time. */
function letTimePass(rehearsal: Rehearsal, id: number): boolean {
  const call = rehearsal.state.calls.get(id);
  const due = call === undefined ? undefined : dueMoment(call);
  if (call === undefined || due === undefined) return false;
  rehearsal.at = Math.max(rehearsal.at, due);
  // Any input does that leaves calls alone: the reducer reads outcomes only.
  take(rehearsal, { kind: 'StubsRemoved', ids: [] }, (context) => resumeCall(rehearsal.state, call, context));
  return true;
}

function take(
  rehearsal: Rehearsal,
  input: RpcInput,
  decide: (context: Parameters<typeof decideRpc>[2]) => readonly RpcOutcome[],
): void {
  const { seq, at, seed } = rehearsal;
  const outcomes = decide({ seq, at, randomness: randomnessAt(seed, seq) });
  rehearsal.outcomes.push(...outcomes);
  rehearsal.state = reduceRpc(rehearsal.state, { seq, at, input, outcomes });
  rehearsal.seq += 1;
}

/** The state as if this stub were the only one, open to every caller and every request, and never used. */
export function withOnlyStub(state: RpcState, stub: Stub): RpcState {
  const { input: _input, inputs: _inputs, headers: _headers, options: _options, ...rest } = stub.definition;
  const open: Stub = { ...stub, session: '', definition: rest };
  return {
    ...state,
    stubs: addStubs(noStubs, [open], state.descriptors).stubs,
    uses: state.uses.delete(stub.id),
  };
}
