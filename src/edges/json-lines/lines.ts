import { isJsonObject } from '../../core/kernel/json.ts';
import type { Entry, Item } from '../../core/kernel/entry.ts';
import type { LogEntry } from '../../core/simulator/events.ts';
import { asManifest } from '../../core/simulator/manifest.ts';
import type { LogHead, Manifest } from '../../core/simulator/ports.ts';

// A take as JSON lines, for a review to read and for git to keep:
//
//     {"doubletake":1,"seed":"7","clock":{…},"reducerDigest":"…","compat":[],"head":{"seq":2,"hash":"…"}}
//     {"seq":1,"at":0,"input":{"kind":"CallOpened",…,"bytes":"AAAA"},"outcomes":[…],"hash":"…"}
//     {"seq":2,…}
//
// Payloads stand in place as base64. The hashes are those of the take: white space and the form of base64 do not count.

/** The first line. It says where the log ends, so that lines which go missing at the end are missed. */
export interface Title {
  readonly manifest: Manifest;
  readonly head: LogHead;
}

export interface EntryLine {
  readonly entry: LogEntry;
  /** Lower-case hex of the entry's chain hash. */
  readonly hash: string;
}

/** Without the line end, as the other one. */
export function titleText({ manifest, head }: Title): string {
  const { format, ...rest } = manifest;
  return JSON.stringify({ doubletake: format, ...rest, head });
}

export function entryText({ entry, hash }: EntryLine): string {
  const { seq, at, input, outcomes } = entry;
  return JSON.stringify({ seq, at, input: withText(input), outcomes: outcomes.map(withText), hash });
}

/** `undefined` when the line is not what it should be; so are those of the other. */
export function titleIn(line: unknown): Title | undefined {
  if (!isJsonObject(line)) return undefined;
  const { doubletake: format, head, ...rest } = line;
  const manifest = asManifest({ format, ...rest });
  if (manifest === undefined || !isJsonObject(head)) return undefined;
  const { seq, hash } = head;
  return typeof seq === 'number' && typeof hash === 'string' ? { manifest, head: { seq, hash } } : undefined;
}

export function entryIn(line: unknown): EntryLine | undefined {
  if (!isJsonObject(line)) return undefined;
  const { seq, at, hash } = line;
  const input = itemIn(line['input']);
  const outcomes = itemsIn(line['outcomes']);
  if (input === undefined || outcomes === undefined || typeof hash !== 'string') return undefined;
  if (!isWhole(seq) || !isWhole(at)) return undefined;
  const entry: Entry = { seq, at, input, outcomes };
  // Which kinds there are is for the reducers to know; the hash chain vouches for the content.
  return { entry: entry as LogEntry, hash };
}

function withText(item: Item): object {
  if (item.bytes === undefined) return item;
  const { buffer, byteOffset, length } = item.bytes;
  return { ...item, bytes: Buffer.from(buffer, byteOffset, length).toString('base64') };
}

function itemsIn(value: unknown): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(itemIn).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

function itemIn(value: unknown): Item | undefined {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string') return undefined;
  const bytes = value['bytes'];
  if (bytes === undefined) return value as object as Item;
  if (typeof bytes !== 'string') return undefined;
  const decoded = Buffer.from(bytes, 'base64');
  return {
    ...value,
    kind: value['kind'],
    bytes: new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length),
  };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
