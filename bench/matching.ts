import { readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import type { Json } from '../src/core/kernel/json.ts';
import { findMethod, noDescriptors, withDescriptors } from '../src/core/services/rpc/descriptors.ts';
import { closestStub, selectStub, type Query } from '../src/core/services/rpc/selection.ts';
import type { InputMatcher } from '../src/core/services/rpc/stub.ts';
import { addStubs, noStubs, removeStubs, type NewStub, type Stubs } from '../src/core/services/rpc/stubs.ts';

// What selection costs with 10, 1,000 and 100,000 stubs on one method: `node bench/matching.ts`.

const loaded = withDescriptors(
  noDescriptors,
  readFileSync(new URL('../test/fixtures/matching/zoo.binpb', import.meta.url)),
);
if (!loaded.ok) throw new Error('the fixture does not load');
const { descriptors } = loaded;
const method = findMethod(descriptors, '/zoo.Zoo/Feed');
if (method === undefined) throw new Error('the fixture has no such method');

const kinds: Readonly<Record<string, (index: number) => InputMatcher>> = {
  'one field': (index) => ({ equals: { name: `animal-${index}` } }),
  'three fields': (index) => ({
    equals: { name: `animal-${index}`, tame: true, home: { street_name: `street ${index % 100}` } },
  }),
  'five signatures': (index) => ({ equals: fiveWays(index) }),
};

function fiveWays(index: number): Readonly<Record<string, Json>> {
  const name = `animal-${index}`;
  const others: readonly Readonly<Record<string, Json>>[] = [
    {},
    { tame: true },
    { kind: 'CAT' },
    { weight: 1.5 },
    { tags: ['a'] },
  ];
  return { name, ...others[index % others.length] };
}

const available = (): boolean => true;

for (const [kind, matcher] of Object.entries(kinds)) {
  for (const count of [10, 1000, 100_000]) {
    const list = Array.from({ length: count }, (_, index) => stubWith(index, matcher(index)));
    const begun = performance.now();
    const { stubs } = addStubs(noStubs, list, descriptors);
    const loadMs = performance.now() - begun;
    const hits = Array.from({ length: 500 }, (_, index) => query((index * 7919) % count));
    const misses = Array.from({ length: 500 }, (_, index) => query(count + index));
    const hitNs = nsPer(hits, (each) => selectStub(stubs, each, available) !== undefined);
    const missNs = nsPer(misses, (each) => selectStub(stubs, each, available) === undefined);
    const closestNs = nsPer(misses, (each) => closestStub(stubs, each) !== null);
    const upsertNs = upsertCost(stubs, matcher, count);
    console.log(
      `${kind.padEnd(16)} ${String(count).padStart(7)} stubs: load ${loadMs.toFixed(0).padStart(5)} ms, ` +
        `hit ${ns(hitNs)}, miss ${ns(missNs)}, miss with closest ${ns(missNs + closestNs)}, upsert ${ns(upsertNs)}`,
    );
  }
}

function stubWith(index: number, input: InputMatcher): NewStub {
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return {
    id,
    session: '',
    source: { from: 'api' },
    definition: { id, service: 'zoo.Zoo', method: 'Feed', input, output: { data: {} } },
  };
}

function query(index: number): Query {
  const name = `animal-${index}`;
  if (method === undefined) throw new Error('unreachable');
  const [home] = method.input.fields.filter((field) => field.name === 'home');
  if (home?.message === undefined) throw new Error('unreachable');
  const init = {
    name,
    tame: true,
    kind: 1,
    weight: 1.5,
    tags: ['a'],
    home: create(home.message, { streetName: `street ${index % 100}` }),
  };
  return {
    method,
    session: '',
    headers: [['x-a', 'b']],
    messages: [create(method.input, init as Record<string, unknown>)],
  };
}

function nsPer<Item>(items: readonly Item[], run: (item: Item) => boolean): number {
  let failed = 0;
  let best = Infinity;
  for (let round = 0; round < 30; round += 1) {
    const begun = performance.now();
    for (const item of items) if (!run(item)) failed += 1;
    best = Math.min(best, performance.now() - begun);
  }
  if (failed > 0) throw new Error(`${failed} runs gave another answer`);
  return (best * 1e6) / items.length;
}

function upsertCost(stubs: Stubs, matcher: (index: number) => InputMatcher, count: number): number {
  const indices = Array.from({ length: 200 }, (_, index) => index);
  return nsPer(indices, (index) => {
    const one = stubWith((index * 7919) % count, matcher(index + count));
    const { stubs: after } = addStubs(stubs, [one], descriptors);
    return removeStubs(after, [one.id]).byId.size === stubs.byId.size - 1;
  });
}

function ns(value: number): string {
  return `${value.toFixed(0).padStart(6)} ns`;
}
