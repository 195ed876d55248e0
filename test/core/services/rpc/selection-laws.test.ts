import type { Message } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../../src/core/kernel/sorted-set.ts';
import type { Json } from '../../../../src/core/kernel/json.ts';
import { noDescriptors } from '../../../../src/core/services/rpc/descriptors.ts';
import type { Headers } from '../../../../src/core/services/rpc/events.ts';
import { declaredFields } from '../../../../src/core/services/rpc/matching/declared-fields.ts';
import type { StubSet } from '../../../../src/core/services/rpc/matching/stub-index.ts';
import { closestStub, selectStub, type Query } from '../../../../src/core/services/rpc/selection.ts';
import type {
  HeaderMatcher,
  InputMatcher,
  Stub,
  StubDefinition,
} from '../../../../src/core/services/rpc/stub.ts';
import {
  addStubs,
  allStubs,
  noStubs,
  reindexStubs,
  removeStubs,
  type NewStub,
  type Stubs,
} from '../../../../src/core/services/rpc/stubs.ts';
import { Animal, animal, descriptors, method, registry } from './matching/zoo.ts';
import { referenceMatches } from './matching/reference-matcher.ts';

// ── A scan over all stubs that follows the rules of selection word by word ──────────────────────────────────

function scan(stubs: readonly Stub[], query: Query, available: (stub: Stub) => boolean): Stub | undefined {
  const ranked = stubs.flatMap((stub) => {
    const visible = stub.session === '' || stub.session === query.session;
    const position = visible && available(stub) ? positionOf(stub, query) : undefined;
    return position === undefined ? [] : [{ stub, position }];
  });
  ranked.sort(
    (a, b) =>
      (b.stub.definition.priority ?? 0) - (a.stub.definition.priority ?? 0) ||
      b.position - a.position ||
      declaredFields(b.stub.definition) - declaredFields(a.stub.definition) ||
      a.stub.order - b.stub.order,
  );
  return ranked[0]?.stub;
}

/** Which message matched, for a client stream; undefined when the stub does not match. */
function positionOf({ definition }: Stub, query: Query): number | undefined {
  const { messages, method: desc } = query;
  const isOfMethod = definition.method === desc.name && ['Zoo', 'zoo.Zoo'].includes(definition.service);
  if (!isOfMethod || !headersHold(definition.headers, query.headers)) return undefined;
  const { input, inputs } = definition;
  const holds = (matcher: InputMatcher, message: Message): boolean =>
    referenceMatches(matcher, Animal, message, registry);
  const isClientStream = desc.methodKind === 'client_streaming';
  const last = isClientStream ? messages.length - 1 : 0;
  if (input === undefined && inputs === undefined) return isClientStream ? -1 : 0;
  if (messages.length === 0) return undefined;
  if (input !== undefined && desc.methodKind === 'bidi_streaming') {
    return messages.every((message) => holds(input, message)) ? 0 : undefined;
  }
  if (input !== undefined) {
    const found = messages.findLastIndex((message) => holds(input, message));
    return found === -1 ? undefined : isClientStream ? found : 0;
  }
  const [only, ...others] = inputs ?? [];
  if (only !== undefined && others.length === 0) {
    return messages.every((message) => holds(only, message)) ? last : undefined;
  }
  const isPrefix = desc.methodKind === 'bidi_streaming' && query.complete !== true;
  const fits = isPrefix
    ? messages.length <= (inputs ?? []).length
    : messages.length === (inputs ?? []).length;
  return fits && messages.every((message, index) => holds(inputs?.[index] ?? {}, message)) ? last : undefined;
}

function headersHold(matcher: HeaderMatcher | undefined, headers: Headers): boolean {
  const items = matcher?.anyOf ?? [];
  return (
    rulesHold(matcher ?? {}, headers) &&
    (items.length === 0 || items.some((item) => rulesHold(item, headers)))
  );
}

function rulesHold(rules: HeaderMatcher, headers: Headers): boolean {
  const text = (name: string): string | undefined => {
    const values = headers
      .filter(([each]) => each.toLowerCase() === name.toLowerCase())
      .map(([, value]) => value);
    return values.length === 0 ? undefined : values.flatMap((value) => value.split(', ')).join(';');
  };
  return (
    Object.entries(rules.equals ?? {}).every(([name, value]) => text(name) === value) &&
    Object.entries(rules.contains ?? {}).every(([name, value]) => text(name)?.includes(value) === true)
  );
}

// ── Arbitrary stubs and calls, from few values so that several stubs match ──────────────────────────────────

const rules = fc.record(
  {
    name: fc.constantFrom('a', 'b', ''),
    tame: fc.boolean(),
    home: fc.record({ number: fc.constantFrom(0, 1) }, { requiredKeys: [], noNullPrototype: true }),
    tags: fc.constantFrom<readonly string[]>([], ['x', 'y'], ['y', 'x']),
    legs: fc.constantFrom(0, 4),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const inputRules = fc.record(
  {
    ignoreArrayOrder: fc.boolean(),
    equals: rules,
    contains: fc.constantFrom<{ name: string } | null>({ name: 'a' }, null),
    matches: fc.constantFrom({ name: '^[ab]$' }, { legs: '[04]' }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const matcher: fc.Arbitrary<InputMatcher> = fc
  .tuple(
    inputRules,
    fc.option(fc.array(inputRules, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 3 }),
  )
  .map(([base, anyOf]) => ({ ...base, ...(anyOf !== undefined && { anyOf }) }));

const headerRules = fc.record(
  {
    equals: fc.constantFrom<Record<string, string>>(
      { 'X-Tenant': 'eu' },
      { 'x-tenant': 'us;eu' },
      { 'x-a': '1' },
    ),
    contains: fc.constantFrom({ 'x-tenant': 'e' }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const headerMatcher: fc.Arbitrary<HeaderMatcher> = fc
  .tuple(
    headerRules,
    fc.option(fc.array(headerRules, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
  )
  .map(([base, anyOf]) => ({ ...base, ...(anyOf !== undefined && { anyOf }) }));

const methods = ['Feed', 'Count', 'Talk'] as const;
const session = fc.constantFrom('', '', 's1', 's2');

const anyStub: fc.Arbitrary<NewStub> = fc
  .record({
    id: fc.integer({ min: 1, max: 90 }).map(String),
    session,
    service: fc.constantFrom('Zoo', 'zoo.Zoo', 'zoo', 'Other'),
    method: fc.constantFrom('Feed', 'Feed', ...methods),
    priority: fc.constantFrom(undefined, 0, 1, -1),
    on: fc.oneof(
      { weight: 1, arbitrary: fc.constant({}) },
      { weight: 5, arbitrary: matcher.map((input) => ({ input })) },
      {
        weight: 2,
        arbitrary: fc.array(matcher, { minLength: 1, maxLength: 3 }).map((inputs) => ({ inputs })),
      },
    ),
    headers: fc.option(headerMatcher, { nil: undefined, freq: 3 }),
  })
  .map(({ id, session: own, on, headers, priority, service, method: name }) =>
    stubOf(id, own, {
      service,
      method: name,
      output: { data: {} },
      ...on,
      ...(headers !== undefined && { headers }),
      ...(priority !== undefined && { priority }),
    }),
  );

function stubOf(id: string, own: string, definition: StubDefinition): NewStub {
  return {
    id,
    session: own,
    source: { from: 'api' },
    definition: JSON.parse(JSON.stringify(definition)) as StubDefinition,
  };
}

const anyMessage = fc
  .record(
    {
      name: fc.constantFrom('a', 'b', 'ab'),
      tame: fc.boolean(),
      home: fc.record({ number: fc.constantFrom(0, 1) }, { requiredKeys: [] }),
      tags: fc.constantFrom([], ['x', 'y'], ['y', 'x']),
      legs: fc.constantFrom(0, 4),
    },
    { requiredKeys: [] },
  )
  .map((json) => animal(json as Json));

const anyHeaders: fc.Arbitrary<Headers> = fc.constantFrom<Headers>(
  [],
  [['x-tenant', 'eu']],
  [
    ['x-tenant', 'us'],
    ['X-Tenant', 'eu'],
  ],
  [
    ['x-tenant', 'us, eu'],
    ['x-a', '1'],
  ],
);

const anyQuery: fc.Arbitrary<Query> = fc
  .tuple(
    fc.constantFrom(...methods),
    session,
    anyHeaders,
    fc.array(anyMessage, { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([name, own, headers, messages, complete]) => {
    const desc = method(`/zoo.Zoo/${name}`);
    const isUnary = desc.methodKind === 'unary';
    return {
      method: desc,
      session: own,
      headers,
      messages: isUnary ? [messages[0] ?? animal({})] : messages,
      ...(desc.methodKind === 'bidi_streaming' && { complete }),
    };
  });

type Change = { readonly add: readonly NewStub[] } | { readonly remove: readonly string[] };

const anyChanges: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.array(anyStub, { minLength: 15, maxLength: 60 }).map((add) => ({ add })) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.integer({ min: 1, max: 90 }).map(String), { maxLength: 30 })
        .map((remove) => ({ remove })),
    },
  ),
  { minLength: 1, maxLength: 5 },
);

function applied(changes: readonly Change[]): Stubs {
  return changes.reduce(
    (stubs, change) =>
      'add' in change ? addStubs(stubs, change.add, descriptors).stubs : removeStubs(stubs, change.remove),
    noStubs,
  );
}

/** The index without what two equal ones may differ in: the identity of what is in it. */
function contents(stubs: Stubs): unknown {
  return stubs.index
    .map((sessions) =>
      sessions.map(({ ranked, signatures, leaves }) => ({
        ranked: ids(ranked),
        signatures: signatures.map(({ key, byValue }) => [key.id, byValue.map((set) => ids(set)).toJS()]),
        leaves: leaves.map(({ key, byValue }) => [key.id, byValue.map((set) => ids(set)).toJS()]),
      })),
    )
    .toJS();
}

function ids(set: StubSet): readonly string[] {
  return Array.from(valuesOf(set), ({ stub }) => stub.id);
}

const everything = (): boolean => true;

describe('selection', () => {
  it('finds by index what a scan finds, for any stubs, replaced and removed, and any calls', () => {
    let hits = 0;
    fc.assert(
      fc.property(
        anyChanges,
        fc.array(anyQuery, { minLength: 4, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 90 }).map(String), { maxLength: 10 }),
        (changes, queries, exhausted) => {
          const stubs = applied(changes);
          const available = (stub: Stub): boolean => !exhausted.includes(stub.id);
          for (const query of queries) {
            const selected = selectStub(stubs, query, available)?.stub;
            if (selected !== undefined) hits += 1;
            expect(selected?.id).toBe(scan(allStubs(stubs), query, available)?.id);
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(hits).toBeGreaterThan(100);
  });

  it('does not depend on the order in which stubs with their places are loaded', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyStub, { selector: ({ id }) => id, minLength: 2, maxLength: 60 }).chain((list) => {
          const placed = list.map((stub, order) => ({ ...stub, order }));
          return fc.tuple(fc.constant(placed), fc.shuffledSubarray(placed, { minLength: placed.length }));
        }),
        anyQuery,
        ([list, shuffled], query) => {
          const [one, other] = [list, shuffled].map((each) => addStubs(noStubs, each, descriptors).stubs);
          if (one === undefined || other === undefined) throw new Error('two were made');
          expect(selectStub(one, query, everything)?.stub).toEqual(
            selectStub(other, query, everything)?.stub,
          );
          expect(closestStub(one, query)).toEqual(closestStub(other, query));
          expect(contents(one)).toEqual(contents(other));
        },
      ),
      { numRuns: 80 },
    );
  });

  it('has the index that the stubs alone would give, whatever came before', () => {
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const stubs = applied(changes);
        const rebuilt = addStubs(noStubs, allStubs(stubs), descriptors).stubs;
        expect(contents(stubs)).toEqual(contents(rebuilt));
        expect(contents(reindexStubs(stubs, descriptors))).toEqual(contents(rebuilt));
        const late = addStubs(noStubs, allStubs(stubs), noDescriptors).stubs;
        expect(contents(reindexStubs(late, descriptors, ['zoo.Zoo', 'legacy.Archive']))).toEqual(
          contents(rebuilt),
        );
      }),
      { numRuns: 150 },
    );
  });
});
