import type { DescMethod } from '@bufbuild/protobuf';
import { unreachable } from '../../kernel/unreachable.ts';
import { statusCodes } from './status-codes.ts';
import type { CompiledOutput } from './output.ts';
import type { OpenCall } from './state.ts';
import type { StubDefinition } from './stub.ts';

// What a call that has its stub does next. A pure reading of the call so far; nothing is kept but what was received
// and how many messages went out.
//
//   unary, client stream    one answer once the client has finished: `data`, or the status
//   server stream           every message, then the status
//   bidi, `inputs`          message k of the client lets message k out; the last one lets the rest out
//   bidi, `input` or none   each message of the client is answered by the whole output

export type NextStep =
  /** The client has to say more first. */
  | { readonly kind: 'listen' }
  /** The message `index` of the output goes out, in answer to the client's message `messageIndex`. */
  | {
      readonly kind: 'message';
      readonly index: number;
      readonly messageIndex: number;
      readonly delayMs: number;
    }
  | { readonly kind: 'end'; readonly messageIndex: number; readonly delayMs: number };

/** A step in which something goes out. */
export type Speaking = Exclude<NextStep, { readonly kind: 'listen' }>;

const listen: NextStep = { kind: 'listen' };

export function nextStep(
  call: OpenCall,
  method: DescMethod,
  definition: StubDefinition,
  output: CompiledOutput,
  gripmock: boolean,
): NextStep {
  const step = plainStep(call, method, definition, output);
  if (!gripmock) return step;
  if (step.kind !== 'message') return step;
  const own = output.messages[step.index]?.delayMs;
  const first = output.isStream && step.index === 0 ? output.delayMs : step.delayMs;
  return { ...step, delayMs: own ?? first };
}

function plainStep(
  call: OpenCall,
  method: DescMethod,
  definition: StubDefinition,
  output: CompiledOutput,
): NextStep {
  const { methodKind } = method;
  switch (methodKind) {
    case 'unary':
    case 'client_streaming':
      return answerOnce(call, output);
    case 'server_streaming':
      return answerInFull(call, output);
    case 'bidi_streaming':
      return definition.inputs === undefined
        ? answerEach(call, output)
        : followScript(call, output, definition.inputs.length);
    default:
      return unreachable(methodKind);
  }
}

function answerOnce(call: OpenCall, output: CompiledOutput): NextStep {
  const messageIndex = Math.max(0, call.received.size - 1);
  // The message of a single answer waits; the status that follows it does not wait again.
  const delayMs = call.sent === 0 ? output.delayMs : 0;
  if (output.code !== statusCodes.OK || call.sent > 0) return { kind: 'end', messageIndex, delayMs };
  return { kind: 'message', index: 0, messageIndex, delayMs };
}

function answerInFull(call: OpenCall, output: CompiledOutput): NextStep {
  const count = messageCount(output);
  if (call.sent < count) return messageStep(output, call.sent, 0);
  return { kind: 'end', messageIndex: 0, delayMs: count === 0 ? output.delayMs : 0 };
}

function answerEach(call: OpenCall, output: CompiledOutput): NextStep {
  const count = messageCount(output);
  const lastIndex = Math.max(0, call.received.size - 1);
  if (call.sent < count * call.received.size) {
    return messageStep(output, call.sent % count, Math.floor(call.sent / count));
  }
  const fails = output.code !== statusCodes.OK && call.received.size > 0;
  if (!fails && !call.halfClosed) return listen;
  return { kind: 'end', messageIndex: lastIndex, delayMs: fails && count === 0 ? output.delayMs : 0 };
}

function followScript(call: OpenCall, output: CompiledOutput, inputCount: number): NextStep {
  const count = messageCount(output);
  const lastIndex = Math.max(0, call.received.size - 1);
  // One matcher stands for any number of messages: only the client's half-close tells which was the last.
  const heardAll = call.halfClosed || (inputCount > 1 && call.received.size >= inputCount);
  const allowed = heardAll ? count : Math.min(call.received.size, count);
  if (call.sent < allowed) return messageStep(output, call.sent, Math.min(call.sent, lastIndex));
  const fails = output.code !== statusCodes.OK && call.sent === count && call.received.size > 0;
  if (!fails && !call.halfClosed) return listen;
  return { kind: 'end', messageIndex: lastIndex, delayMs: fails && count === 0 ? output.delayMs : 0 };
}

/** With an error, `data` is not sent; the messages under `stream` are, before it. */
function messageCount(output: CompiledOutput): number {
  return output.code !== statusCodes.OK && !output.isStream ? 0 : output.messages.length;
}

/** Between the messages of a stream there is a wait, and before a single answer. */
function messageStep(output: CompiledOutput, index: number, messageIndex: number): NextStep {
  return {
    kind: 'message',
    index,
    messageIndex,
    delayMs: output.isStream && index === 0 ? 0 : output.delayMs,
  };
}
