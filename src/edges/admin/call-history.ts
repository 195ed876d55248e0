import {
  clearHistory,
  foldHistory,
  noHistory,
  type History,
  type HistoryLimits,
} from '../../core/services/rpc/history.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';

/**
 * The history that this server shows. It is folded when somebody asks, from where it was left, so that calls do not
 * pay for it. The log cannot forget: clearing only moves the place where this history starts, and for a new server
 * it starts at the beginning.
 */
export interface CallHistory {
  /** The history up to the last entry that was durable when this was called. */
  upToDate(): Promise<History>;
  /** Starts anew, for one session or for all. Gives how many calls are no longer shown or counted. */
  clear(session: string | undefined): Promise<number>;
}

const entriesAtOnce = 1_000;

export function callHistory(simulator: Simulator, limits: HistoryLimits): CallHistory {
  let history = noHistory;
  // One after the other: two at a time would fold the same entries twice.
  let turn: Promise<unknown> = Promise.resolve();

  async function catchUp(): Promise<History> {
    for (;;) {
      const entries = await simulator.entries(history.seq + 1, entriesAtOnce);
      if (entries.length === 0) return history;
      history = foldHistory(history, entries, limits);
    }
  }

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = turn.then(task);
    turn = result.catch(() => undefined);
    return result;
  }

  return {
    upToDate: () => inTurn(catchUp),
    clear: (session) =>
      inTurn(async () => {
        const before = shownCalls(await catchUp());
        history = clearHistory(history, session);
        return before - shownCalls(history);
      }),
  };
}

function shownCalls(history: History): number {
  return history.counts.reduce((sum, methods) => sum + methods.reduce((count, calls) => count + calls, 0), 0);
}
