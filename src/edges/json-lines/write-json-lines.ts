import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hex } from '../../core/kernel/bytes.ts';
import { chainHash, chainStart } from '../../core/kernel/entry-chain.ts';
import { encodeEntry } from '../../core/kernel/entry-codec.ts';
import { LogFailure, type EventLog } from '../../core/simulator/ports.ts';
import { entryText, titleText } from './lines.ts';
import { nodeSha256 } from './node-sha256.ts';

const pageEntries = 1_000;

/**
 * Writes the log, up to the head that it has now, and leaves `writable` open. Rejects with a `LogFailure` (`DT_LOG_TAMPERED`)
 * when the entries do not give the log's own hash, and with the stream's error.
 */
export async function writeJsonLines(log: EventLog, writable: Writable): Promise<void> {
  await pipeline(jsonLinesOf(log), writable, { end: false });
}

/** The lines of a log, each with its line end. */
export async function* jsonLinesOf(log: EventLog): AsyncGenerator<string> {
  const { manifest, head } = log;
  yield `${titleText({ manifest, head })}\n`;
  let previous = chainStart(manifest, nodeSha256);
  for (let next = 1; next <= head.seq;) {
    const page = await log.read(next, Math.min(pageEntries, head.seq - next + 1));
    if (page.length === 0) throw new LogFailure('DT_LOG_TAMPERED', `entry ${next} is missing`);
    for (const entry of page) {
      previous = chainHash(previous, encodeEntry(entry, nodeSha256), nodeSha256);
      yield `${entryText({ entry, hash: hex(previous) })}\n`;
    }
    next += page.length;
  }
  if (head.seq > 0 && hex(previous) !== head.hash) {
    throw new LogFailure('DT_LOG_TAMPERED', `the entries up to ${head.seq} do not give the hash of the log`);
  }
}
