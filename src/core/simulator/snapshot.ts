import { List, Map } from 'immutable';
import { base64, fromBase64, strictUtf8Text, utf8 } from '../kernel/bytes.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { digestHex, sha256, type Sha256 } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import { noTimers, withTimer, type Timers } from '../kernel/timers.ts';
import {
  descriptorSet,
  noDescriptors,
  withDescriptors,
  type Descriptors,
} from '../services/rpc/descriptors.ts';
import { dueMoment } from '../services/rpc/reduce.ts';
import type { OpenCall, RpcState } from '../services/rpc/state.ts';
import type { Stub } from '../services/rpc/stub.ts';
import { addStubs, allStubs, noStubs, type Stubs } from '../services/rpc/stubs.ts';
import type { ClockMode } from './events.ts';
import { reducerDigest } from './reducer-digest.ts';
import type { Snapshot } from './ports.ts';
import type { World } from './world.ts';

// A world in named parts, each of them bytes with one spelling for one value. A part whose value is the same object as
// before is not written again, so a snapshot costs what has changed. Indexes are not kept: they are derived.

type Parts = ReadonlyMap<string, Uint8Array>;

/** What a snapshot holds of `world`. */
export function takeSnapshot(world: World): Snapshot {
  return { seq: world.seq, reducerDigest, parts: partsOf(world) };
}

/** Lower-case hex; two worlds have the same digest when they are the same. */
export function worldDigest(world: World, hash: Sha256 = sha256): string {
  const lines = Array.from(partsOf(world), ([name, bytes]) => `${name} ${partDigest(bytes, hash)}\n`);
  return digestHex(lines.join(''), hash);
}

const partDigests = new WeakMap<Uint8Array, string>();

function partDigest(bytes: Uint8Array, hash: Sha256): string {
  let digest = partDigests.get(bytes);
  if (digest === undefined) partDigests.set(bytes, (digest = digestHex(bytes, hash)));
  return digest;
}

function partsOf(world: World): Parts {
  const { seq, at, seed, clockMode, rpc } = world;
  return new globalThis.Map([
    [
      'world',
      jsonBytes({ seq, at, seed, clockMode, gripmock: rpc.gripmock, nextOrder: rpc.stubs.nextOrder }),
    ],
    ['rpc.calls', callParts(rpc.calls)],
    ['rpc.descriptors', descriptorParts(rpc.descriptors)],
    ['rpc.stubs', stubParts(rpc.stubs)],
    ['rpc.uses', useParts(rpc.uses)],
  ]);
}

// Empty collections of one library are one object, so each part remembers by itself.
const callParts = once((calls: RpcState['calls']) => jsonBytes([...calls.values()].sort(byId).map(callJson)));
const descriptorParts = once((descriptors: Descriptors) => descriptorSet(descriptors));
const stubParts = once((stubs: Stubs) => jsonBytes(Array.from(allStubs(stubs))));
const useParts = once((uses: RpcState['uses']) => jsonBytes(useJson(uses)));

function byId(a: OpenCall, b: OpenCall): number {
  return a.id - b.id;
}

/** `make`, remembered for as long as its argument lives. */
function once<T extends object>(make: (value: T) => Uint8Array): (value: T) => Uint8Array {
  const known = new WeakMap<T, Uint8Array>();
  return (value) => {
    let bytes = known.get(value);
    if (bytes === undefined) known.set(value, (bytes = make(value)));
    return bytes;
  };
}

function jsonBytes(value: unknown): Uint8Array {
  return utf8(canonicalJson(value));
}

/** A session may be named `__proto__`: the library's own conversion would lose it. */
function useJson(uses: RpcState['uses']): UsesJson {
  return Object.fromEntries(uses.map((counts) => Object.fromEntries(counts)));
}

function callJson(call: OpenCall): Json {
  const { received, ...rest } = call;
  return { ...rest, received: received.toArray().map(base64) } as unknown as Json;
}

/** The world that `takeSnapshot` was given. Throws for parts that it did not write. */
export function restoreSnapshot(snapshot: Snapshot): World {
  const head = readPart(snapshot, 'world') as Head;
  const descriptors = restoreDescriptors(part(snapshot, 'rpc.descriptors'));
  const calls = restoreCalls(readPart(snapshot, 'rpc.calls') as readonly CallJson[]);
  const stubs = restoreStubs(part(snapshot, 'rpc.stubs'), descriptors);
  const rpc: RpcState = {
    gripmock: head.gripmock,
    descriptors,
    stubs: { ...stubs, nextOrder: head.nextOrder },
    uses: restoreUses(readPart(snapshot, 'rpc.uses') as UsesJson),
    calls,
    timers: restoreTimers(calls),
  };
  return { seq: head.seq, at: head.at, seed: head.seed, clockMode: head.clockMode, rpc };
}

function part(snapshot: Snapshot, name: string): Uint8Array {
  const bytes = snapshot.parts.get(name);
  if (bytes === undefined) throw new Error(`the snapshot at ${snapshot.seq} lacks the part ${name}`);
  return bytes;
}

// What `partsOf` wrote is what is read: a snapshot of other reducers is not loaded.
interface Head {
  readonly seq: number;
  readonly at: number;
  readonly seed: string;
  readonly clockMode: ClockMode;
  readonly gripmock: boolean;
  readonly nextOrder: number;
}

type UsesJson = Readonly<Record<string, Readonly<Record<string, number>>>>;

function readPart(snapshot: Snapshot, name: string): unknown {
  return JSON.parse(strictUtf8Text(part(snapshot, name)));
}

// The same bytes give the same value: worlds restored side by side share descriptors and stubs, and so their caches.
let lastDescriptors: { readonly digest: string; readonly descriptors: Descriptors } | undefined;
let lastStubs:
  | { readonly digest: string; readonly descriptors: Descriptors; readonly stubs: Stubs }
  | undefined;

function restoreDescriptors(bytes: Uint8Array): Descriptors {
  const digest = partDigest(bytes, sha256);
  if (lastDescriptors?.digest === digest) return lastDescriptors.descriptors;
  const result = withDescriptors(noDescriptors, bytes);
  if (!result.ok)
    throw new Error(`the descriptors of a snapshot do not load: ${JSON.stringify(result.violations)}`);
  const descriptors = bytes.length === 0 ? noDescriptors : result.descriptors;
  lastDescriptors = { digest, descriptors };
  return descriptors;
}

function restoreStubs(bytes: Uint8Array, descriptors: Descriptors): Stubs {
  const digest = partDigest(bytes, sha256);
  if (lastStubs?.digest === digest && lastStubs.descriptors === descriptors) return lastStubs.stubs;
  const { stubs } = addStubs(noStubs, JSON.parse(strictUtf8Text(bytes)) as readonly Stub[], descriptors);
  lastStubs = { digest, descriptors, stubs };
  return stubs;
}

type CallJson = Omit<OpenCall, 'received'> & { readonly received: readonly string[] };

function restoreCalls(calls: readonly CallJson[]): RpcState['calls'] {
  return Map(calls.map((call) => [call.id, { ...call, received: List(call.received.map(fromBase64)) }]));
}

function restoreUses(uses: UsesJson): RpcState['uses'] {
  return Map(Object.entries(uses).map(([stub, counts]) => [stub, Map(Object.entries(counts))]));
}

function restoreTimers(calls: RpcState['calls']): Timers {
  let timers = noTimers;
  for (const call of calls.values()) {
    const due = dueMoment(call);
    if (due !== undefined) timers = withTimer(timers, due, call.id);
  }
  return timers;
}
