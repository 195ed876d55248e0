import { base64 } from '../kernel/bytes.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { services } from '../services/rpc/descriptors.ts';
import type { OpenCall } from '../services/rpc/state.ts';
import { allStubs } from '../services/rpc/stubs.ts';
import type { World } from './world.ts';

/**
 * The world for people and tools: what `state` prints. Collections are objects by id, so that a path such as
 * `rpc.stubs.6f9619ff-….definition.priority` names one thing.
 */
export function worldJson(world: World): Json {
  const { rpc } = world;
  return {
    seq: world.seq,
    at: world.at,
    clock: world.clockMode,
    seed: world.seed,
    rpc: {
      stubs: byKey(allStubs(rpc.stubs), (stub) => [stub.id, asJson(stub)]),
      uses: byKey(rpc.uses, ([stub, counts]) => [stub, byKey(counts, (count) => count)]),
      calls: byKey(rpc.calls.values(), (call) => [String(call.id), callJson(call)]),
      descriptors: {
        files: [...rpc.descriptors.files.keys()].sort(),
        services: services(rpc.descriptors).map((service) => service.typeName),
      },
    },
  };
}

/** The part of a JSON value under a path of keys separated by dots; `undefined` when there is none. */
export function partAt(value: Json, path: string): Json | undefined {
  let part: Json | undefined = value;
  let rest = path;
  while (rest !== '' && part !== undefined) {
    // A key may hold dots itself (`shop.v1.Orders`): the longest key that fits is meant.
    const key: string | undefined = longestKey(part, rest);
    if (key === undefined) return undefined;
    part = Array.isArray(part)
      ? (part as readonly Json[])[Number(key)]
      : isJsonObject(part)
        ? part[key]
        : undefined;
    rest = rest.slice(key.length + 1);
  }
  return part;
}

function longestKey(value: Json, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const words = path.split('.');
  for (let count = words.length; count > 0; count -= 1) {
    const key = words.slice(0, count).join('.');
    if (Object.hasOwn(value, key)) return key;
  }
  return undefined;
}

function byKey<T>(items: Iterable<T>, entryOf: (item: T) => readonly [string, Json]): Json {
  const object = Object.create(null) as Record<string, Json>;
  for (const item of items) {
    const [key, json] = entryOf(item);
    object[key] = json;
  }
  return object;
}

function callJson(call: OpenCall): Json {
  const { received, stub, ...rest } = call;
  return asJson({
    ...rest,
    received: received.toArray().map(base64),
    ...(stub === undefined ? {} : { stub: stub.id }),
  });
}

/** What is made of JSON values only, and read only, is JSON. */
function asJson(value: object): Json {
  return value as unknown as Json;
}
