import { isMethod, methodParts } from '../services/rpc/history.ts';
import type { Input, LogEntry } from './events.ts';

export interface EntryFilter {
  readonly session?: string;
  /** A service's full name or its name without the package, or either with `/Method`. */
  readonly service?: string;
  /** Kinds of inputs or outcomes; any of them. */
  readonly kinds?: readonly string[];
  /** Only what nothing answered. */
  readonly misses?: boolean;
}

/** What the entries of one call have in common; only the first of them says it. */
export interface CallFacts {
  readonly method: string;
  readonly session: string;
}

/** True when all that the filter asks for holds. `call` is the call that the entry belongs to, if it does. */
export function passesFilter(entry: LogEntry, call: CallFacts | undefined, filter: EntryFilter): boolean {
  return (
    (filter.session === undefined || sessionOfEntry(entry, call) === filter.session) &&
    (filter.service === undefined || (call !== undefined && isOfService(call.method, filter.service))) &&
    (filter.kinds === undefined || hasKind(entry, filter.kinds)) &&
    (filter.misses !== true || isMiss(entry))
  );
}

/** True when the answer needs to know the call that an entry goes on with. */
export function asksForCall(filter: EntryFilter): boolean {
  return filter.session !== undefined || filter.service !== undefined;
}

/** The call that an input goes on with; `undefined` when it opens one, or has to do with none. */
export function continuedCall(input: Input): number | undefined {
  return 'call' in input ? input.call : undefined;
}

export function callFactsOf(input: Input): CallFacts | undefined {
  if (input.kind !== 'CallOpened' && input.kind !== 'CallAborted') return undefined;
  return { method: input.method, session: input.session };
}

/** Nothing answered the call or the request. */
export function isMiss(entry: LogEntry): boolean {
  return entry.outcomes.some(({ kind }) => kind === 'CallMissed' || kind === 'RequestMissed');
}

/** The session of the entry, or of the call that it belongs to; empty is the global one. */
export function sessionOfEntry({ input }: LogEntry, call: CallFacts | undefined): string {
  if (call !== undefined) return call.session;
  return 'session' in input ? (input.session ?? '') : '';
}

function isOfService(path: string, wanted: string): boolean {
  const { service, method } = methodParts(wanted.startsWith('/') ? wanted : `/${wanted}`);
  return isMethod(path, method === '' ? { service } : { service, method });
}

function hasKind(entry: LogEntry, kinds: readonly string[]): boolean {
  return kinds.includes(entry.input.kind) || entry.outcomes.some(({ kind }) => kinds.includes(kind));
}
