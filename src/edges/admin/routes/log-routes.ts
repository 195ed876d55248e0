import {
  asksForCall,
  callFactsOf,
  continuedCall,
  passesFilter,
  type CallFacts,
  type EntryFilter,
} from '../../../core/simulator/entry-filter.ts';
import { entryJson } from '../../../core/simulator/entry-json.ts';
import type { LogEntry } from '../../../core/simulator/events.ts';
import type { Simulator } from '../../../core/simulator/simulator.ts';
import { partAt, worldJson } from '../../../core/simulator/world-json.ts';
import { adminLimits } from '../limits.ts';
import { refusal } from '../problem.ts';
import { route, type AdminContext, type AdminRoute, type Schema } from '../route.ts';
import { seqSchema } from '../shared.ts';

const tag = 'log';

const itemSchema: Schema = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { type: 'string' }, bytes: { type: 'string', description: 'Base64.' } },
  additionalProperties: true,
};

export const entrySchema: Schema = {
  $id: 'Entry',
  type: 'object',
  description: 'An input with what the simulator made of it.',
  required: ['seq', 'at', 'input', 'outcomes'],
  properties: {
    seq: seqSchema,
    at: { type: 'integer', description: 'Milliseconds since 1970-01-01T00:00:00Z.' },
    input: itemSchema,
    outcomes: { type: 'array', items: itemSchema },
  },
  additionalProperties: false,
};

const exampleEntry = {
  seq: 7,
  at: 1767225600000,
  input: {
    kind: 'CallOpened',
    method: '/helloworld.Greeter/SayHello',
    session: '',
    headers: [],
    bytes: 'CgNBZGE=',
  },
  outcomes: [
    { kind: 'CallMissed', call: 7, reason: 'no stub' },
    { kind: 'CallEnded', call: 7, code: 5, message: 'No matching stub found' },
  ],
};

interface EntriesQuery {
  readonly from: number;
  readonly to?: number;
  readonly limit: number;
  readonly kind?: readonly string[];
  readonly session?: string;
  readonly service?: string;
  readonly misses?: boolean;
}

const getEntries = route<EntriesQuery, object, undefined>({
  method: 'GET',
  path: '/api/entries',
  tag,
  summary: 'List entries',
  description:
    'In order. `next` is where to go on with `from`, also when a filter lets nothing through; at the end of the log it is ' +
    'the number that the next entry will have. A session header filters as `session` does.',
  query: {
    from: { ...seqSchema, default: 1, description: 'The first entry.' },
    to: { ...seqSchema, description: 'The last entry.' },
    limit: { type: 'integer', minimum: 1, maximum: adminLimits.pageItemsMax, default: 100 },
    kind: {
      type: 'array',
      items: { type: 'string' },
      description: 'A kind of input or outcome; may be repeated.',
    },
    session: { type: 'string', description: 'Only entries of this session; empty means none.' },
    service: {
      type: 'string',
      description: 'A full name or the name without the package, or either with `/Method`.',
    },
    misses: { type: 'boolean', description: 'Only what nothing answered.' },
  },
  ok: {
    status: 200,
    description: 'A page of entries.',
    schema: {
      type: 'object',
      required: ['entries', 'next', 'head'],
      properties: {
        entries: { type: 'array', items: { $ref: 'Entry#' } },
        next: seqSchema,
        head: { type: 'integer', minimum: 0, description: 'The last durable entry.' },
      },
      additionalProperties: false,
    },
    example: { entries: [exampleEntry], next: 8, head: 118 },
  },
  async serve({ query, session }, context) {
    const filter: EntryFilter = {
      ...(query.kind !== undefined && { kinds: query.kind }),
      ...(query.service !== undefined && { service: query.service }),
      ...(query.misses !== undefined && { misses: query.misses }),
      ...((query.session !== undefined || session !== '') && { session: query.session ?? session }),
    };
    const found = await findEntries(context, query, filter);
    const { seq: head } = context.simulator.head();
    return { status: 200, body: { entries: found.entries.map(entryJson), next: found.next, head } };
  },
});

interface Found {
  readonly entries: readonly LogEntry[];
  readonly next: number;
}

const entriesAtOnce = 1_000;

async function findEntries(
  { simulator, limits }: AdminContext,
  { from, to = Number.MAX_SAFE_INTEGER, limit }: EntriesQuery,
  filter: EntryFilter,
): Promise<Found> {
  const entries: LogEntry[] = [];
  const factsOf = callFactsIn(simulator);
  const end = Math.min(to, from + limits.entriesScannedMax - 1);
  let next = from;
  while (next <= end) {
    const read = await simulator.entries(next, Math.min(entriesAtOnce, end - next + 1));
    if (read.length === 0) break;
    for (const entry of read) {
      next = entry.seq + 1;
      const call = asksForCall(filter) ? await factsOf(entry) : undefined;
      if (passesFilter(entry, call, filter)) entries.push(entry);
      if (entries.length === limit) return { entries, next };
    }
  }
  return { entries, next };
}

/** Which call an entry belongs to: only the entry that opened the call says its method and session. */
function callFactsIn(simulator: Simulator): (entry: LogEntry) => Promise<CallFacts | undefined> {
  const known = new Map<number, CallFacts>();
  return async ({ seq, input }) => {
    const own = callFactsOf(input);
    const call = own === undefined ? continuedCall(input) : seq;
    if (call === undefined) return undefined;
    const facts = own ?? known.get(call) ?? (await factsOfCall(simulator, call));
    if (facts !== undefined) known.set(call, facts);
    return facts;
  };
}

async function factsOfCall(simulator: Simulator, call: number): Promise<CallFacts | undefined> {
  const [opened] = await simulator.entries(call, 1);
  return opened === undefined ? undefined : callFactsOf(opened.input);
}

const getEntry = route<object, { readonly seq: number }, undefined>({
  method: 'GET',
  path: '/api/entries/:seq',
  tag,
  summary: 'Get an entry',
  params: { seq: seqSchema },
  ok: { status: 200, description: 'The entry.', schema: { $ref: 'Entry#' }, example: exampleEntry },
  problems: ['DT_NOT_FOUND'],
  async serve({ params }, { simulator }) {
    return { status: 200, body: entryJson(await entryAt(simulator, params.seq)) };
  },
});

/** Throws a `ProblemError` when there is none. */
export async function entryAt(simulator: Simulator, seq: number): Promise<LogEntry> {
  const [entry] = await simulator.entries(seq, 1);
  if (entry?.seq === seq) return entry;
  throw refusal('DT_NOT_FOUND', `there is no entry ${seq}: the log ends at ${simulator.head().seq}`);
}

const getState = route<{ readonly at?: number; readonly path: string }, object, undefined>({
  method: 'GET',
  path: '/api/state',
  tag,
  summary: 'The world at a moment, or a part of it',
  query: {
    at: {
      type: 'integer',
      minimum: 0,
      description: 'Just after this entry; 0 is the empty world. Absent: now.',
    },
    path: {
      type: 'string',
      default: '',
      description: 'Keys separated by dots, such as `rpc.stubs`; absent: all of it.',
    },
  },
  ok: { status: 200, description: 'The value there.', schema: {}, example: { seq: 118, clock: 'virtual' } },
  problems: ['DT_NOT_FOUND'],
  async serve({ query }, { simulator }) {
    const head = simulator.head().seq;
    const at = query.at ?? head;
    if (at > head) throw refusal('DT_NOT_FOUND', `there is no entry ${at}: the log ends at ${head}`);
    const part = partAt(worldJson(await simulator.worldAt(at)), query.path);
    if (part === undefined) throw refusal('DT_NOT_FOUND', `the world after entry ${at} has no ${query.path}`);
    return { status: 200, body: part };
  },
});

const getManifest = route<object, object, undefined>({
  method: 'GET',
  path: '/api/manifest',
  tag,
  summary: 'What the log says of itself, and where it ends',
  ok: {
    status: 200,
    description: 'The manifest and the head.',
    schema: {
      type: 'object',
      required: ['manifest', 'head'],
      properties: {
        manifest: {
          type: 'object',
          required: ['format', 'seed', 'clock', 'reducerDigest', 'compat'],
          properties: {
            format: { type: 'integer' },
            seed: { type: 'string' },
            clock: {
              type: 'object',
              required: ['mode', 'startAt'],
              properties: { mode: { type: 'string' }, startAt: { type: 'integer' } },
              additionalProperties: false,
            },
            reducerDigest: { type: 'string' },
            compat: { type: 'array', items: { type: 'string' } },
          },
          additionalProperties: false,
        },
        head: {
          type: 'object',
          required: ['seq', 'hash'],
          properties: { seq: { type: 'integer', minimum: 0 }, hash: { type: 'string' } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    example: {
      manifest: {
        format: 1,
        seed: '7',
        clock: { mode: 'virtual', startAt: 0 },
        reducerDigest: 'b5bb9d80…',
        compat: [],
      },
      head: { seq: 118, hash: '9f86d081…' },
    },
  },
  serve(_, { simulator }) {
    const { format, seed, clock, reducerDigest, compat } = simulator.manifest;
    const { seq, hash } = simulator.head();
    return {
      status: 200,
      body: { manifest: { format, seed, clock, reducerDigest, compat }, head: { seq, hash } },
    };
  },
});

export const logRoutes: readonly AdminRoute[] = [getEntries, getEntry, getState, getManifest];
