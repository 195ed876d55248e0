import type { Outcome } from '../../../src/core/simulator/events.ts';
import type { Headers } from '../../../src/core/services/rpc/events.ts';
import { type Decide, type FakeSimulator, makeFakeSimulator } from './fake-simulator.ts';

/** The methods that every test has, one of each kind. */
export const paths = {
  say: '/talk.v1.Talk/Say',
  tell: '/talk.v1.Talk/Tell',
  gather: '/talk.v1.Talk/Gather',
  chat: '/talk.v1.Talk/Chat',
} as const;

export const kinds = {
  [paths.say]: 'unary',
  [paths.tell]: 'server_streaming',
  [paths.gather]: 'client_streaming',
  [paths.chat]: 'bidi_streaming',
} as const;

/** A simulator with those methods. What `decide` leaves open (`undefined`) is decided by `echo`. */
export function makeEchoSimulator(
  decide: (...given: Parameters<Decide>) => readonly Outcome[] | undefined = () => undefined,
  clockMode: Parameters<typeof makeFakeSimulator>[1] = 'system',
): FakeSimulator {
  const simulator = makeFakeSimulator((...given) => decide(...given) ?? echo(...given), clockMode);
  simulator.learn(kinds);
  return simulator;
}

/**
 * Say answers what it was told, Tell answers it three times, Gather answers the number of messages as one byte, Chat
 * answers each message.
 */
export const echo: Decide = (input, call, open) => {
  switch (input.kind) {
    case 'CallOpened':
      if (input.method === paths.say) return [message(call, input.bytes), ended(call)];
      if (input.method === paths.tell) return [...three(call, input.bytes), ended(call)];
      if (!(input.method in kinds)) return [ended(call, 12, `no method ${input.method}`)];
      counts.set(call, 0);
      return [];
    case 'MessageReceived':
      counts.set(call, (counts.get(call) ?? 0) + 1);
      return open?.method === paths.chat ? [message(call, input.bytes)] : [];
    case 'CallHalfClosed':
      if (open?.method === paths.chat) return [ended(call)];
      return [message(call, Uint8Array.of(counts.get(call) ?? 0)), ended(call)];
    case 'CallCancelled':
      return [ended(call, input.reason === 'shutdown' ? 14 : input.reason === 'deadline' ? 4 : 1)];
    case 'CallAborted':
      return [ended(call, input.code, input.message)];
    default:
      return [];
  }
};

const counts = new Map<number, number>();

function three(call: number, bytes: Uint8Array | undefined): Outcome[] {
  return [1, 2, 3].map(() => message(call, bytes));
}

export function message(call: number, bytes: Uint8Array = new Uint8Array()): Outcome {
  return { kind: 'MessageSent', call, bytes };
}

export function headersSent(call: number, headers: Headers): Outcome {
  return { kind: 'HeadersSent', call, headers };
}

export function ended(call: number, code = 0, text?: string, trailers?: Headers): Outcome {
  return {
    kind: 'CallEnded',
    call,
    code,
    ...(text === undefined ? {} : { message: text }),
    ...(trailers === undefined ? {} : { trailers }),
  };
}
