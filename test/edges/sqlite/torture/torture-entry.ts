import { randomnessAt } from '../../../../src/core/kernel/randomness.ts';
import type { LogEntry } from '../../../../src/core/simulator/events.ts';
import type { Manifest } from '../../../../src/core/simulator/ports.ts';

export const manifest: Manifest = {
  format: 1,
  seed: 'torture',
  clock: { mode: 'virtual', startAt: 0 },
  reducerDigest: 'torture',
  compat: [],
};

/** The one entry that the torture writes as `seq`; so what is read back can be held against it. Some are large. */
export function tortureEntry(seq: number): LogEntry {
  const chance = randomnessAt('torture', seq);
  const length = chance.integer(0, 20) === 0 ? chance.integer(4_000, 20_000) : chance.integer(0, 600);
  const bytes = new Uint8Array(length).fill(seq % 251);
  return {
    seq,
    at: seq,
    input: { kind: 'CallOpened', method: `/torture/${seq}`, session: '', headers: [], bytes },
    outcomes: [{ kind: 'MessageSent', call: seq, bytes: bytes.subarray(0, length >> 1) }],
  };
}
