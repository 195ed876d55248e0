import type { ServerResponse } from 'node:http';
import type { LogEntry, ResponseGiven } from '../../core/simulator/events.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import { writeReply } from './response.ts';

/** Clients that wait for a reply that a later entry may give. */
export interface Replies {
  /** Answers from the entry of the request, or waits for the entry that does. */
  answer(response: ServerResponse, entry: LogEntry): void;
  /** Answers everyone who still waits with `refusal`; what comes after this is answered on connections that close. */
  end(refusal: Refusal): void;
}

/** `unreadMs`: how long a client may take nothing of a reply before its connection is closed. */
export function repliesFrom(simulator: Simulator, unreadMs: number): Replies {
  const waiting = new Map<number, ServerResponse>();
  let ended = false;

  const unsubscribe = simulator.onCommitted((entry) => {
    if (waiting.size === 0) return;
    for (const outcome of entry.outcomes) {
      if (outcome.kind !== 'ResponseGiven') continue;
      const response = waiting.get(outcome.request);
      if (response === undefined) continue;
      waiting.delete(outcome.request);
      send(response, outcome, entry.at);
    }
  });

  function send(response: ServerResponse, given: ResponseGiven, at: number): void {
    if (response.destroyed) return;
    if (ended) response.shouldKeepAlive = false;
    try {
      writeReply(response, given, at);
    } catch (cause) {
      // Core gave a status or a header that HTTP cannot carry.
      const detail = cause instanceof Error ? cause.message : String(cause);
      refuse(response, { status: 500, code: 'DT_REPLY_UNWRITABLE', detail });
    }
    if (response.writableLength > 0) response.setTimeout(unreadMs, () => response.destroy());
  }

  function wait(request: number, response: ServerResponse): void {
    waiting.set(request, response);
    response.once('close', () => {
      if (waiting.get(request) === response) waiting.delete(request);
    });
  }

  return {
    answer(response, entry) {
      const given = entry.outcomes.find(
        (outcome) => outcome.kind === 'ResponseGiven' && outcome.request === entry.seq,
      );
      if (given?.kind === 'ResponseGiven') send(response, given, entry.at);
      else if (ended) refuse(response, stopping);
      else wait(entry.seq, response);
    },
    end(refusal) {
      ended = true;
      unsubscribe();
      for (const response of waiting.values()) refuse(response, refusal);
      waiting.clear();
    },
  };
}

export const stopping: Refusal = { status: 503, code: 'DT_STOPPING', detail: 'the simulator is stopping' };
