import { hex } from '../../core/kernel/bytes.ts';
import { chainHash } from '../../core/kernel/entry-chain.ts';
import { decodeEntry, EntryDamaged, type LoadLarge } from '../../core/kernel/entry-codec.ts';
import { LogFailure, type LogHead } from '../../core/simulator/ports.ts';
import { entryRow, isWellFormed, missing, tampered, type EntryTable, type RawRow } from './entry-table.ts';
import { nodeSha256 } from './node-sha256.ts';

const pageEntries = 1_000;

/** One end of a stretch of the log: an entry and its chain hash. */
export interface ChainLink {
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** Throws a `LogFailure` that names the first entry after `from`, up to `to`, that is not what was written. */
export function verifyChain(
  entries: EntryTable,
  from: ChainLink,
  to: number,
  loadLarge: (seq: number) => LoadLarge,
): void {
  let previous = from.hash;
  for (let next = from.seq + 1; next <= to;) {
    const rows = entries.page(next, Math.min(pageEntries, to - next + 1));
    if (rows.length === 0) throw missing(next);
    for (const row of rows) previous = verifiedHash(row, previous, loadLarge);
    next += rows.length;
  }
}

function verifiedHash(raw: RawRow, previous: Uint8Array, loadLarge: (seq: number) => LoadLarge): Uint8Array {
  const [seq] = raw;
  if (!isWellFormed(raw)) throw tampered(seq, 'a column does not hold what it should');
  const row = entryRow(raw);
  const hash = chainHash(previous, row, nodeSha256);
  if (Buffer.compare(hash, raw[5]) !== 0) throw tampered(seq, 'it does not fit the hash chain');
  if (mayReferToLarge(row.input) || mayReferToLarge(row.outcomes)) readWhole(raw, loadLarge(seq));
  return hash;
}

// A guess that costs little; who decodes the entry knows.
function mayReferToLarge(text: string): boolean {
  return /"bytes":"[0-9a-f]{64}"/.test(text);
}

function readWhole(raw: RawRow, loadLarge: LoadLarge): void {
  try {
    const entry = decodeEntry(entryRow(raw), loadLarge);
    void entry.input;
    void entry.outcomes;
  } catch (cause) {
    throw cause instanceof EntryDamaged ? tampered(raw[0], cause.message, cause) : cause;
  }
}

/**
 * What the database holds against what was vouched for when it was written: by the anchor while it is open, by the manifest
 * once it is closed. Throws a `LogFailure` that names the entries that are missing.
 */
export function checkHead(file: string, entries: EntryTable, vouched: LogHead, head: number): void {
  if (vouched.seq === 0) return;
  if (vouched.seq > head) {
    const range = vouched.seq === head + 1 ? `entry ${vouched.seq}` : `entries ${head + 1} to ${vouched.seq}`;
    throw new LogFailure(
      'DT_LOG_TRUNCATED',
      `${file}: ${range} had been written and cannot be found any more`,
    );
  }
  const hash = entries.hashOf(vouched.seq);
  if (hash === undefined || hex(hash) !== vouched.hash) {
    throw tampered(vouched.seq, `${file} holds another one than was answered`);
  }
}
