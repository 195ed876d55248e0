import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clearHistory,
  countCalls,
  foldHistory,
  forgottenCalls,
  newestCalls,
  noHistory,
  type History,
} from '../../../../src/core/services/rpc/history.ts';
import type { LogEntry } from '../../../../src/core/simulator/events.ts';

const unlimited = { callsMax: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER };
const methods = ['/talk.v1.Talk/Say', '/talk.v1.Talk/Chat', '/other.Talk/Say', '/Talk/Say'];
const sessions = ['', 'blue', 'red'];

/** Entries as a log may hold them: calls that open, go on and end, and what is none of history's business. */
const log: fc.Arbitrary<readonly LogEntry[]> = fc
  .array(
    fc.record({
      what: fc.constantFrom('open', 'message', 'end', 'http', 'clock'),
      method: fc.constantFrom(...methods),
      session: fc.constantFrom(...sessions),
      bytes: fc.uint8Array({ maxLength: 5 }),
      call: fc.nat(),
      code: fc.integer({ min: 0, max: 16 }),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    const open: number[] = [];
    return steps.map(({ what, method, session, bytes, call, code }, index): LogEntry => {
      const seq = index + 1;
      const at = seq * 10;
      const known = open[call % Math.max(1, open.length)];
      if (what === 'open') {
        open.push(seq);
        return { seq, at, input: { kind: 'CallOpened', method, session, headers: [], bytes }, outcomes: [] };
      }
      if (what === 'message' && known !== undefined) {
        const outcomes = [{ kind: 'MessageSent', call: known, bytes } as const];
        return { seq, at, input: { kind: 'MessageReceived', call: known, bytes }, outcomes };
      }
      if (what === 'end' && known !== undefined) {
        const outcomes = [{ kind: 'CallEnded', call: known, code } as const];
        return { seq, at, input: { kind: 'ClockAdvanced', to: at }, outcomes };
      }
      if (what === 'http') {
        const outcomes = [{ kind: 'ResponseGiven', request: seq, status: 404, headers: [] } as const];
        const input = {
          kind: 'HttpRequestReceived',
          method: 'GET',
          target: '/',
          session,
          headers: [],
        } as const;
        return { seq, at, input, outcomes };
      }
      return { seq, at, input: { kind: 'ClockAdvanced', to: at }, outcomes: [] };
    });
  });

/** Slow and obviously right. */
function opened(entries: readonly LogEntry[], session: string | undefined, method: string): number {
  return entries.filter(
    ({ input }) =>
      input.kind === 'CallOpened' &&
      input.method === method &&
      (session === undefined || input.session === session),
  ).length;
}

function plain(history: History): unknown {
  return {
    ...history,
    calls: history.calls.toJS(),
    order: history.order.toJS(),
    counts: history.counts.toJS(),
    forgotten: history.forgotten.toJS(),
  };
}

describe('history', () => {
  it('is the same however the log is cut into pages', () => {
    fc.assert(
      fc.property(log, fc.nat({ max: 60 }), fc.nat({ max: 8 }), (entries, cut, callsMax) => {
        const limits = { callsMax, bytesMax: 40 };
        const whole = foldHistory(noHistory, entries, limits);
        const half = foldHistory(noHistory, entries.slice(0, cut), limits);
        expect(plain(foldHistory(half, entries.slice(cut), limits))).toEqual(plain(whole));
      }),
    );
  });

  it('counts every call, kept or not', () => {
    fc.assert(
      fc.property(
        log,
        fc.nat({ max: 8 }),
        fc.option(fc.constantFrom(...sessions), { nil: undefined }),
        (entries, callsMax, session) => {
          const history = foldHistory(noHistory, entries, { callsMax, bytesMax: 40 });
          const scope = session === undefined ? {} : { session };
          const count = (service: string, method: string) =>
            countCalls(history, { ...scope, service, method });
          expect(count('talk.v1.Talk', 'Chat')).toBe(opened(entries, session, '/talk.v1.Talk/Chat'));
          expect(count('other.Talk', 'Say')).toBe(opened(entries, session, '/other.Talk/Say'));
          const all = methods
            .filter((path) => path.endsWith('/Say'))
            .map((path) => opened(entries, session, path));
          expect(count('Talk', 'Say')).toBe(all.reduce((sum, one) => sum + one, 0));
        },
      ),
    );
  });

  it('keeps the newest calls within its limits, and says how many it does not', () => {
    fc.assert(
      fc.property(log, fc.nat({ max: 8 }), fc.nat({ max: 40 }), (entries, callsMax, bytesMax) => {
        const history = foldHistory(noHistory, entries, { callsMax, bytesMax });
        const kept = newestCalls(history, {});
        const all = newestCalls(foldHistory(noHistory, entries, unlimited), {});
        expect(kept.map(({ seq }) => seq)).toEqual(all.slice(0, kept.length).map(({ seq }) => seq));
        expect(kept.length + forgottenCalls(history, undefined)).toBe(all.length);
        const bytes = kept
          .flatMap(({ requests, responses }) => [...requests, ...responses])
          .reduce((sum, one) => sum + one.length, 0);
        expect(history.bytes).toBe(bytes);
        const fits = kept.length <= callsMax && bytes <= bytesMax;
        expect(fits || kept.length <= 1).toBe(true);
      }),
    );
  });

  it('that is cleared is that of a log that begins there, as far as calls opened since', () => {
    fc.assert(
      fc.property(log, fc.nat({ max: 60 }), (entries, cut) => {
        const before = foldHistory(noHistory, entries.slice(0, cut), unlimited);
        const cleared = foldHistory(clearHistory(before, undefined), entries.slice(cut), unlimited);
        const fresh = foldHistory({ ...noHistory, seq: before.seq }, entries.slice(cut), unlimited);
        expect(plain(cleared)).toEqual(plain(fresh));
      }),
    );
  });

  it('that is cleared for one session is as before for the others', () => {
    fc.assert(
      fc.property(log, fc.constantFrom(...sessions), (entries, session) => {
        const before = foldHistory(noHistory, entries, { callsMax: 5, bytesMax: 1000 });
        const after = clearHistory(before, session);
        expect(newestCalls(after, { session })).toEqual([]);
        expect(countCalls(after, { session })).toBe(0);
        for (const other of sessions.filter((one) => one !== session)) {
          expect(newestCalls(after, { session: other })).toEqual(newestCalls(before, { session: other }));
          expect(countCalls(after, { session: other })).toBe(countCalls(before, { session: other }));
        }
      }),
    );
  });

  it('does not change when more is folded onto it', () => {
    fc.assert(
      fc.property(log, log, (first, second) => {
        const before = foldHistory(noHistory, first, unlimited);
        const was = plain(before);
        foldHistory(
          before,
          second.map((entry) => ({ ...entry, seq: entry.seq + first.length })),
          { callsMax: 2, bytesMax: 5 },
        );
        expect(plain(before)).toEqual(was);
      }),
    );
  });
});
