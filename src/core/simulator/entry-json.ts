import { base64 } from '../kernel/bytes.ts';
import type { Item } from '../kernel/entry.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { LogEntry } from './events.ts';

/** An entry for people and tools: `{"seq", "at", "input", "outcomes"}`, with `bytes` in base64. */
export function entryJson(entry: LogEntry): JsonObject {
  return {
    seq: entry.seq,
    at: entry.at,
    input: itemJson(entry.input),
    outcomes: entry.outcomes.map(itemJson),
  };
}

function itemJson(item: Item): Json {
  const shown = item.bytes === undefined ? item : { ...item, bytes: base64(item.bytes) };
  // All of an item but its bytes is JSON.
  return shown as unknown as Json;
}
