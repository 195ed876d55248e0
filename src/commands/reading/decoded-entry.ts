import { strictUtf8Text } from '../../core/kernel/bytes.ts';
import type { Json } from '../../core/kernel/json.ts';
import { getStub } from '../../core/services/rpc/stubs.ts';
import { callFactsOf, sessionOfEntry } from '../../core/simulator/entry-filter.ts';
import type { Input, LogEntry, Outcome } from '../../core/simulator/events.ts';
import type { World } from '../../core/simulator/world.ts';
import { decoderFor, type Decoder } from './messages.ts';

/** An entry with its bytes read: messages by their descriptors, everything else as what it is. */
export interface DecodedEntry {
  readonly entry: LogEntry;
  readonly session: string;
  /** The seq of the entry that opened the call that this one goes on with. */
  readonly goesOnWith: number | undefined;
  /** `package.Service/Method` of the call. */
  readonly method: string | undefined;
  readonly input: Json | undefined;
  /** One for each outcome. */
  readonly outcomes: readonly (Json | undefined)[];
  /** Where the stub of that id came from, for people. */
  placeOf(stub: string): string | undefined;
}

/** `opened` is the entry that opened the call, if there is one; `world` is the one that the entry was decided in. */
export function decodedEntry(entry: LogEntry, opened: LogEntry, world: World): DecodedEntry {
  const call = callFactsOf(opened.input);
  const decoder = decoderFor(world, call?.method ?? '');
  return {
    entry,
    session: sessionOfEntry(entry, call),
    goesOnWith: opened === entry ? undefined : opened.seq,
    method: call?.method.replace(/^\//, ''),
    input: decodedInput(entry.input, decoder),
    outcomes: entry.outcomes.map((outcome) => decodedOutcome(outcome, decoder)),
    placeOf: (stub) => placeOf(world, stub),
  };
}

function decodedInput(input: Input, decoder: Decoder): Json | undefined {
  switch (input.kind) {
    case 'CallOpened':
    case 'MessageReceived':
      return input.bytes === undefined ? undefined : decoder.request(input.bytes);
    case 'StubsLoaded':
      return jsonOf(input.bytes);
    case 'HttpRequestReceived':
      return textOf(input.bytes);
    default:
      return undefined;
  }
}

function decodedOutcome(outcome: Outcome, decoder: Decoder): Json | undefined {
  switch (outcome.kind) {
    case 'MessageSent':
      return decoder.response(outcome.bytes);
    case 'EffectApplied':
      return outcome.bytes === undefined ? undefined : jsonOf(outcome.bytes);
    case 'ResponseGiven':
      return textOf(outcome.bytes);
    default:
      return undefined;
  }
}

function jsonOf(bytes: Uint8Array): Json | undefined {
  try {
    return JSON.parse(strictUtf8Text(bytes)) as Json;
  } catch {
    return undefined;
  }
}

function textOf(bytes: Uint8Array | undefined): Json | undefined {
  if (bytes === undefined) return undefined;
  try {
    return strictUtf8Text(bytes);
  } catch {
    return undefined;
  }
}

function placeOf(world: World, id: string): string | undefined {
  const source = getStub(world.rpc.stubs, id)?.source;
  if (source === undefined) return undefined;
  if (source.from !== 'file') return source.by === undefined ? source.from : `an effect of ${source.by}`;
  return source.line === undefined ? source.file : `${source.file}:${source.line}`;
}
