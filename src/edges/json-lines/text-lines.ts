import { closeSync, openSync, readSync } from 'node:fs';
import { LogFailure } from '../../core/simulator/ports.ts';

/** The longest line that is read. */
export const lineBytesMax = 256 * 1024 * 1024;
/** The same for the first line. */
export const titleBytesMax = 1024 * 1024;

const chunkBytes = 256 * 1024;
const lineEnd = 0x0a;

export interface TextLine {
  /** Counts from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** The lines of a file that are not empty, without their line ends. Throws a `LogFailure`, or the system's error. */
export function* textLinesOf(file: string): Generator<TextLine> {
  const descriptor = openSync(file, 'r');
  try {
    yield* linesIn(file, chunksOf(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function* linesIn(file: string, chunks: Iterable<Uint8Array>): Generator<TextLine> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let number = 1;
  for (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, from)) {
      const bytes = Buffer.concat([...begun, chunk.subarray(from, end)]);
      if (bytes.length > 0) yield { number, bytes };
      begun = [];
      begunBytes = 0;
      number += 1;
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    refuseTooLong(file, number, begunBytes);
  }
  if (begunBytes > 0) yield { number, bytes: Buffer.concat(begun) };
}

function* chunksOf(descriptor: number): Generator<Uint8Array> {
  for (;;) {
    const chunk = new Uint8Array(chunkBytes);
    const length = readSync(descriptor, chunk);
    if (length === 0) return;
    yield chunk.subarray(0, length);
  }
}

// What has no line end at all, a video say, is not read for long before it is refused.
function refuseTooLong(file: string, number: number, bytes: number): void {
  if (number === 1 && bytes > titleBytesMax) {
    throw new LogFailure('DT_LOG_FOREIGN', `${file} does not begin with a line as a take does`);
  }
  if (bytes > lineBytesMax) {
    throw new LogFailure(
      'DT_LOG_UNREADABLE',
      `${file}:${number}: a line is longer than ${lineBytesMax} bytes`,
    );
  }
}
