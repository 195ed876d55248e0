import { callFactsOf, continuedCall, type CallFacts } from '../../core/simulator/entry-filter.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import type { EventLog } from '../../core/simulator/ports.ts';

/** Which call an entry belongs to: only the entry that opened the call says its method and session. */
export class CallIndex {
  readonly #log: EventLog;
  readonly #known = new Map<number, CallFacts>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  async factsOf(entry: LogEntry): Promise<CallFacts | undefined> {
    const own = callFactsOf(entry.input);
    const ended = entry.outcomes.some(({ kind }) => kind === 'CallEnded');
    if (own !== undefined) {
      if (!ended) this.#known.set(entry.seq, own);
      return own;
    }
    const call = continuedCall(entry.input);
    if (call === undefined) return undefined;
    const facts = this.#known.get(call) ?? (await this.#read(call));
    if (ended) this.#known.delete(call);
    return facts;
  }

  async #read(call: number): Promise<CallFacts | undefined> {
    const [opened] = await this.#log.read(call, 1);
    const facts = opened === undefined ? undefined : callFactsOf(opened.input);
    if (facts !== undefined) this.#known.set(call, facts);
    return facts;
  }
}
