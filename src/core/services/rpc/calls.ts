import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Randomness } from '../../kernel/randomness.ts';
import { answerBuiltIn, isBuiltIn, isKeptForServer } from './built-in.ts';
import { decodeMessage } from './codec.ts';
import { decideEffects } from './effects.ts';
import type { CallHalfClosed, CallOpened, Headers, MessageReceived, RpcOutcome } from './events.ts';
import { missMessage } from './miss.ts';
import { compiledOutput, type CompiledOutput } from './output.ts';
import { endOf, replyOf, type Scene } from './reply.ts';
import { afterInput, afterOutcome } from './reduce.ts';
import { nextStep, type Speaking } from './script.ts';
import { selectStub, stillMatches } from './selection.ts';
import { isExhausted, newCall, usesOf, type OpenCall, type RpcState } from './state.ts';
import { statusCodes } from './status-codes.ts';
import type { Stub } from './stub.ts';
import { CallTemplateData } from './template-data.ts';

/** Where and when a decision is made. */
export interface DecideContext {
  readonly seq: number;
  readonly at: number;
  readonly randomness: Randomness;
}

/** Messages that one call may hold, and their bytes; beyond, it ends with RESOURCE_EXHAUSTED. */
export const callMessagesMax = 100_000;
export const callBytesMax = 64 * 1024 * 1024;

/** A call under decision: what is decided so far, and the call as those outcomes leave it. */
interface Deciding {
  readonly state: RpcState;
  readonly context: DecideContext;
  readonly method: DescMethod;
  readonly outcomes: RpcOutcome[];
  call: OpenCall;
}

/** A client began a call; a unary or server-streaming one is whole, and gets its answer. */
export function answerCall(
  state: RpcState,
  input: CallOpened,
  context: DecideContext,
): readonly RpcOutcome[] {
  const call = newCall(input, context.seq, context.at);
  const method = state.descriptors.methods.get(input.method);
  if (method === undefined) return unknownMethod(call);
  const deciding: Deciding = { state, context, method, outcomes: [], call };
  if (takesOneMessage(method)) hearWhole(deciding);
  return deciding.outcomes;
}

/** The client sent one more message of its stream. */
export function hearMessage(
  state: RpcState,
  input: MessageReceived,
  context: DecideContext,
): readonly RpcOutcome[] {
  const deciding = decidingFor(state, input, context);
  if (deciding === undefined) return [];
  const { call } = deciding;
  if (call.received.size > callMessagesMax || call.receivedBytes > callBytesMax) {
    return end(
      deciding,
      statusCodes.RESOURCE_EXHAUSTED,
      `the call holds more than ${callMessagesMax} messages or ${callBytesMax} bytes`,
    );
  }
  const decoded = decodeMessage(deciding.method.input, input.bytes);
  if (!decoded.ok) return end(deciding, statusCodes.INTERNAL, undecodable(decoded.problem));
  if (deciding.method.methodKind === 'bidi_streaming') converse(deciding, decoded.message);
  return deciding.outcomes;
}

/** The client will send nothing more. */
export function hearHalfClose(
  state: RpcState,
  input: CallHalfClosed,
  context: DecideContext,
): readonly RpcOutcome[] {
  const deciding = decidingFor(state, input, context);
  if (deciding === undefined) return [];
  if (deciding.method.methodKind === 'client_streaming') hearWhole(deciding);
  else concludeConversation(deciding);
  return deciding.outcomes;
}

/** The moment has come at which an open call goes on by itself, or is out of time. */
export function resumeCall(state: RpcState, call: OpenCall, context: DecideContext): readonly RpcOutcome[] {
  const method = state.descriptors.methods.get(call.method);
  if (method === undefined) return unknownMethod(call);
  const deciding: Deciding = { state, context, method, outcomes: [], call };
  const { deadlineAt = Infinity, waitsUntil = Infinity } = call;
  if (deadlineAt <= waitsUntil)
    return end(deciding, statusCodes.DEADLINE_EXCEEDED, 'the deadline of the call has passed');
  goOn(deciding);
  return deciding.outcomes;
}

function decidingFor(
  state: RpcState,
  input: MessageReceived | CallHalfClosed,
  context: DecideContext,
): Deciding | undefined {
  const call = state.calls.get(input.call);
  const method = call === undefined ? undefined : state.descriptors.methods.get(call.method);
  if (call === undefined || method === undefined) return undefined;
  return { state, context, method, outcomes: [], call: afterInput(call, input) };
}

function takesOneMessage(method: DescMethod): boolean {
  return method.methodKind === 'unary' || method.methodKind === 'server_streaming';
}

/** Everything that the client says is there: select, and answer. */
function hearWhole(deciding: Deciding): void {
  const messages = decodeReceived(deciding);
  if (messages === undefined) return;
  const stub = choose(deciding, messages);
  if (stub !== undefined) answerWith(deciding, stub);
  else answerWithout(deciding);
}

function decodeReceived(deciding: Deciding): readonly Message[] | undefined {
  const messages: Message[] = [];
  for (const bytes of deciding.call.received) {
    const decoded = decodeMessage(deciding.method.input, bytes);
    if (!decoded.ok) {
      end(deciding, statusCodes.INTERNAL, undecodable(decoded.problem));
      return undefined;
    }
    messages.push(decoded.message);
  }
  return messages;
}

function undecodable(problem: string): string {
  return `the request is ${problem}`;
}

/** A message on a bidirectional stream: the first chooses the stub, later ones can only narrow the choice. */
function converse(deciding: Deciding, message: Message): void {
  const { call } = deciding;
  if (call.received.size === 1) return hearWhole(deciding);
  if (call.stub === undefined) return answerWithout(deciding);
  const { state, method } = deciding;
  const index = call.received.size - 1;
  const verdict = stillMatches(call.stub, method, message, index, state.descriptors);
  if (verdict === 'beyond the script') return beyondTheScript(deciding);
  if (verdict === 'yes') return goOn(deciding);
  const messages = decodeReceived(deciding);
  const other = messages === undefined ? undefined : choose(deciding, messages);
  if (other !== undefined) answerWith(deciding, other);
  else if (messages !== undefined) miss(deciding);
}

/** The client of a bidirectional stream has finished. A script that it left early is not the one that was matched. */
function concludeConversation(deciding: Deciding): void {
  const { call } = deciding;
  if (call.received.size === 0 && call.stub === undefined) return hearWhole(deciding);
  if (call.stub === undefined) return answerWithout(deciding);
  const scripted = call.stub.definition.inputs?.length ?? 0;
  if (scripted <= 1 || call.received.size === scripted) return goOn(deciding);
  const messages = decodeReceived(deciding);
  const other = messages === undefined ? undefined : choose(deciding, messages);
  if (other !== undefined) answerWith(deciding, other);
  else if (messages !== undefined) miss(deciding);
}

function choose({ state, call, method }: Deciding, messages: readonly Message[]): Stub | undefined {
  if (isKeptForServer(state, method, call.received.first())) return undefined;
  const query = { method, session: call.session, headers: call.headers, messages, complete: call.halfClosed };
  return selectStub(state.stubs, query, (stub) => !isExhausted(state, stub, call.session))?.stub;
}

function answerWith(deciding: Deciding, stub: Stub): void {
  const { state, call } = deciding;
  const { session } = call;
  const attempt = usesOf(state, stub.id, session) + 1;
  decide(deciding, { kind: 'StubMatched', call: call.id, stub: stub.id, session, attempt });
  if (attempt === stub.definition.options?.times) {
    decide(deciding, { kind: 'StubExhausted', stub: stub.id, session });
  }
  goOn(deciding);
}

/** No stub: the services that are built in answer for themselves, everything else is a miss. */
function answerWithout(deciding: Deciding): void {
  if (!isBuiltIn(deciding.method)) return miss(deciding);
  for (const outcome of answerBuiltIn(deciding.state, deciding.method, deciding.call))
    decide(deciding, outcome);
}

function miss(deciding: Deciding): void {
  const { call, state, method } = deciding;
  decide(deciding, { kind: 'CallMissed', call: call.id, reason: 'no stub' });
  end(deciding, statusCodes.NOT_FOUND, missMessage(state, method, call), [entryTrailer(deciding)]);
}

function beyondTheScript(deciding: Deciding): void {
  const { call } = deciding;
  const scripted = call.stub?.definition.inputs?.length ?? 0;
  decide(deciding, { kind: 'CallMissed', call: call.id, reason: 'beyond the script' });
  const message = `stub ${call.stub?.id} scripts ${scripted} messages, and this is message ${call.received.size}`;
  end(deciding, statusCodes.NOT_FOUND, message, [entryTrailer(deciding)]);
}

function unknownMethod(call: OpenCall): readonly RpcOutcome[] {
  const message = `unknown method ${call.method}: no descriptor that was loaded has it`;
  return [
    { kind: 'CallMissed', call: call.id, reason: 'unknown method' },
    {
      kind: 'CallEnded',
      call: call.id,
      code: statusCodes.UNIMPLEMENTED,
      message,
      trailers: [['doubletake-entry', String(call.id)]],
    },
  ];
}

function entryTrailer({ context }: Deciding): readonly [string, string] {
  return ['doubletake-entry', String(context.seq)];
}

/** Lets out all that may go out at this moment: what waits, waits for the log's clock or for the client. */
function goOn(deciding: Deciding): void {
  const { stub } = deciding.call;
  if (stub === undefined) return;
  const { state, method, context } = deciding;
  const output = compiledOutput(stub, method, state);
  for (;;) {
    const { call } = deciding;
    const step = nextStep(call, method, stub.definition, output, state.gripmock);
    if (step.kind === 'listen') return;
    if (step.delayMs > 0 && call.waitsUntil === undefined) {
      decide(deciding, { kind: 'ReplyDelayed', call: call.id, until: context.at + step.delayMs });
      return;
    }
    if (call.waitsUntil !== undefined && context.at < call.waitsUntil) return;
    if (perform(deciding, stub, output, step) === 'ended') return;
  }
}

/** Renders first, then applies the effects, then replies: a template that fails leaves no effect. */
function perform(
  deciding: Deciding,
  stub: Stub,
  output: CompiledOutput,
  step: Speaking,
): 'ended' | 'going on' {
  const { state, context, call, method } = deciding;
  const scene: Scene = {
    state,
    method,
    data: new CallTemplateData(state, method, call, stub, step.messageIndex),
    environment: { now: context.at, randomness: context.randomness },
  };
  const reply = step.kind === 'message' ? replyOf(output, step.index, scene) : endOf(output, scene);
  if (!reply.ok) return fail(deciding, reply.problem);
  if (!call.effectsDone && stub.definition.effects !== undefined) {
    for (const outcome of decideEffects(state, call.id, stub, scene)) decide(deciding, outcome);
  }
  const { headers, bytes, status } = reply.value;
  if (!call.headersSent && headers.length > 0)
    decide(deciding, { kind: 'HeadersSent', call: call.id, headers });
  if (bytes !== undefined) decide(deciding, { kind: 'MessageSent', call: call.id, bytes });
  if (status === undefined) return 'going on';
  end(deciding, status.code, status.message, status.trailers);
  return 'ended';
}

function fail(deciding: Deciding, problem: string): 'ended' {
  end(deciding, statusCodes.INTERNAL, `stub ${deciding.call.stub?.id}: ${problem}`, [entryTrailer(deciding)]);
  return 'ended';
}

function end(
  deciding: Deciding,
  code: number,
  message: string,
  trailers: Headers = [],
): readonly RpcOutcome[] {
  decide(deciding, {
    kind: 'CallEnded',
    call: deciding.call.id,
    code,
    ...(message === '' ? {} : { message }),
    ...(trailers.length === 0 ? {} : { trailers }),
  });
  return deciding.outcomes;
}

function decide(deciding: Deciding, outcome: RpcOutcome): void {
  deciding.outcomes.push(outcome);
  deciding.call = afterOutcome(deciding.call, outcome, deciding.state);
}
