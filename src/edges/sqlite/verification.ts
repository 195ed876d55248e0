import { hex } from '../../core/kernel/bytes.ts';
import { chainHash } from '../../core/kernel/entry-chain.ts';
import { decodeEntry, EntryDamaged, type EntryRow, type LoadLarge } from '../../core/kernel/entry-codec.ts';
import { LogFailure, type LogHead } from '../../core/simulator/ports.ts';
import { missing, tampered, type ChainedRow, type EntryTable } from './entry-table.ts';
import { nodeSha256 } from './node-sha256.ts';

const pageEntries = 1_000;

/** One end of a stretch of the log: an entry and its chain hash. */
export interface ChainLink {
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** Loads the large payloads of the entry `seq`. */
export type LoadLargeOf = (seq: number) => LoadLarge;

/** Throws a `LogFailure` that names the first entry after `from`, up to `to`, that is not what was written. */
export function verifyChain(entries: EntryTable, from: ChainLink, to: number, loadLarge: LoadLargeOf): void {
  let previous = from.hash;
  for (let next = from.seq + 1; next <= to;) {
    const rows = entries.chainedPage(next, Math.min(pageEntries, to - next + 1));
    if (rows.length === 0) throw missing(next);
    for (const chained of rows) previous = verifiedHash(chained, previous, loadLarge);
    next += rows.length;
  }
}

function verifiedHash({ row, hash }: ChainedRow, previous: Uint8Array, loadLarge: LoadLargeOf): Uint8Array {
  const expected = chainHash(previous, row, nodeSha256);
  if (Buffer.compare(expected, hash) !== 0) throw tampered(row.seq, 'it does not fit the hash chain');
  if (mayReferToLarge(row.input) || mayReferToLarge(row.outcomes)) readWhole(row, loadLarge(row.seq));
  return hash;
}

// A guess that costs little; who decodes the entry knows.
function mayReferToLarge(text: string): boolean {
  return /"bytes":"[0-9a-f]{64}"/.test(text);
}

function readWhole(row: EntryRow, loadLarge: LoadLarge): void {
  try {
    const entry = decodeEntry(row, loadLarge);
    void entry.input;
    void entry.outcomes;
  } catch (cause) {
    throw cause instanceof EntryDamaged ? tampered(row.seq, cause.message, cause) : cause;
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
