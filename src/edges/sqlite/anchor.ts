import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { Durability } from './durability.ts';
import type { LogHead } from '../../core/simulator/ports.ts';

// SQLite drops a torn or missing write-ahead log without a word, and with it entries that were answered. So the head is
// also kept in a small file beside the database, rewritten in place after each flush:
//
//     doubletake anchor 0000000000000118 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//
// It may be behind the database, by the flush that was under way. A database behind its anchor has lost entries.

const title = 'doubletake anchor ';
const seqDigits = 16;
const pattern = /^doubletake anchor (\d{16}) ([0-9a-f]{64})\n$/;

/** What the anchor says; `damaged` when it says nothing that can be understood. */
export function readAnchor(file: string): LogHead | 'damaged' | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  const [, seq, hash] = pattern.exec(text) ?? [];
  return seq === undefined || hash === undefined ? 'damaged' : { seq: Number(seq), hash };
}

export interface Anchor {
  /** Never throws: an anchor that stays behind vouches for less, and the next call brings it up. */
  moveTo(head: LogHead): void;
  /** The take is closed: nothing is left to vouch for. */
  remove(): void;
  /** Leaves the file as it is. */
  close(): void;
}

/** Writes the anchor anew. Throws the system's error. */
export function openAnchor(file: string, head: LogHead, durability: Durability): Anchor {
  // Not truncated first: there is no moment without an anchor.
  const descriptor = openSync(file, constants.O_CREAT | constants.O_RDWR, 0o666);
  const line = Buffer.from(lineOf(head), 'latin1');
  writeSync(descriptor, line, 0, line.length, 0);
  ftruncateSync(descriptor, line.length);
  if (durability === 'power') fsyncSync(descriptor);
  return {
    moveTo({ seq, hash }) {
      line.write(String(seq).padStart(seqDigits, '0'), title.length, 'latin1');
      line.write(hash, title.length + seqDigits + 1, 'latin1');
      try {
        writeSync(descriptor, line, 0, line.length, 0);
      } catch {
        // The entries are durable, so the flush has not failed.
      }
    },
    remove() {
      closeSync(descriptor);
      rmSync(file, { force: true });
    },
    close() {
      closeSync(descriptor);
    },
  };
}

function lineOf({ seq, hash }: LogHead): string {
  return `${title}${String(seq).padStart(seqDigits, '0')} ${hash}\n`;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw cause;
  }
}
