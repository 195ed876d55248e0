import { statSync } from 'node:fs';
import { hex, strictUtf8Text } from '../../core/kernel/bytes.ts';
import { chainHash, chainStart } from '../../core/kernel/entry-chain.ts';
import { decodeEntry, encodeEntry, type EncodedEntry } from '../../core/kernel/entry-codec.ts';
import type { Input, LogEntry, Outcome } from '../../core/simulator/events.ts';
import {
  LogFailure,
  type EventLog,
  type LogHead,
  type Manifest,
  type Snapshot,
} from '../../core/simulator/ports.ts';
import { entryIn, titleIn, type EntryLine, type Title } from './lines.ts';
import { nodeSha256 } from './node-sha256.ts';
import { textLinesOf, type TextLine } from './text-lines.ts';

/** The newest form of the lines that this code reads. */
const formatMax = 1;

/**
 * A take that is kept as JSON lines, whole in memory and for reading alone. Throws a `LogFailure` that names the line: for what
 * is no such file (`DT_LOG_FOREIGN`), was changed (`DT_LOG_TAMPERED`) or ends too early (`DT_LOG_TRUNCATED`).
 */
export function openJsonLinesLog(file: string): EventLog {
  return new JsonLinesLog(file, readWhole(file));
}

function readWhole(file: string): Content {
  try {
    return contentOf(file);
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    throw new LogFailure('DT_LOG_UNREADABLE', `${file} cannot be read: ${cause.message}`, { cause });
  }
}

interface Content {
  readonly title: Title;
  readonly rows: readonly EncodedEntry[];
}

class JsonLinesLog implements EventLog {
  readonly manifest: Manifest;
  readonly head: LogHead;
  readonly #file: string;
  readonly #rows: readonly EncodedEntry[];

  constructor(file: string, { title, rows }: Content) {
    this.manifest = title.manifest;
    this.head = title.head;
    this.#file = file;
    this.#rows = rows;
  }

  stage(): void {
    throw this.#readOnly();
  }

  flush(): void {
    throw this.#readOnly();
  }

  read(from: number, limit: number): readonly LogEntry[] {
    const first = Math.max(1, from);
    return this.#rows.slice(first - 1, first - 1 + limit).map((row) => {
      return decodeEntry<Input, Outcome>(row, (digest) => largeOf(row, digest));
    });
  }

  saveSnapshot(): void {
    throw this.#readOnly();
  }

  loadSnapshot(): Snapshot | undefined {
    return undefined;
  }

  verify(): void {
    readWhole(this.#file);
  }

  close(): void {}

  #readOnly(): LogFailure {
    return new LogFailure('DT_LOG_READ_ONLY', `${this.#file} holds JSON lines, which are only read`);
  }
}

function largeOf(row: EncodedEntry, digest: string): Uint8Array {
  const found = row.large.find((large) => large.digest === digest);
  if (found === undefined) throw new Error(`entry ${row.seq} was encoded without its payload ${digest}`);
  return found.bytes;
}

function contentOf(file: string): Content {
  const lines = opened(file);
  const first = lines.next();
  const title = titleOf(file, first.done === true ? undefined : first.value);
  let previous = chainStart(title.manifest, nodeSha256);
  const rows: EncodedEntry[] = [];
  for (const line of lines) {
    const { entry, hash } = entryOf(file, line, rows.length + 1);
    const row = encodeEntry(entry, nodeSha256);
    previous = chainHash(previous, row, nodeSha256);
    if (hex(previous) !== hash) throw changed(file, line.number, `entry ${entry.seq} does not fit its hash`);
    rows.push(row);
  }
  checkEnd(file, title.head, rows.length, hex(previous));
  return { title, rows };
}

function opened(file: string): Generator<TextLine> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new LogFailure('DT_LOG_MISSING', `${file}: there is no such file`);
  if (!found.isFile()) throw new LogFailure('DT_LOG_FOREIGN', `${file} is not a file`);
  return textLinesOf(file);
}

function titleOf(file: string, line: TextLine | undefined): Title {
  const value = line === undefined ? undefined : parsed(line);
  const format = typeof value === 'object' && value !== null && 'doubletake' in value ? value.doubletake : 0;
  if (typeof format === 'number' && format > formatMax) {
    throw new LogFailure(
      'DT_LOG_NEWER',
      `${file} has the format ${format}; this Doubletake reads up to ${formatMax}`,
    );
  }
  const title = titleIn(value);
  if (title !== undefined) return title;
  throw new LogFailure(
    'DT_LOG_FOREIGN',
    `${file}:1: a take begins with {"doubletake":${formatMax},…}, this does not`,
  );
}

function entryOf(file: string, line: TextLine, seq: number): EntryLine {
  const found = entryIn(parsed(line));
  if (found === undefined)
    throw changed(file, line.number, `entry ${seq} was expected, and this is no entry`);
  if (found.entry.seq !== seq) {
    throw changed(file, line.number, `entry ${seq} was expected, and this is entry ${found.entry.seq}`);
  }
  return found;
}

function checkEnd(file: string, head: LogHead, count: number, hash: string): void {
  if (count < head.seq) {
    const sentence = `${file} ends after entry ${count}; entries up to ${head.seq} had been written`;
    throw new LogFailure('DT_LOG_TRUNCATED', sentence);
  }
  if (count > head.seq || (count > 0 && hash !== head.hash)) {
    throw changed(file, 1, `the head is entry ${head.seq}, and the lines give another`);
  }
}

function parsed({ bytes }: TextLine): unknown {
  try {
    return JSON.parse(strictUtf8Text(bytes));
  } catch {
    return undefined;
  }
}

function changed(file: string, line: number, reason: string): LogFailure {
  return new LogFailure('DT_LOG_TAMPERED', `${file}:${line}: ${reason}`);
}
