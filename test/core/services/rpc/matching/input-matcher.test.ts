import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileInput } from '../../../../../src/core/services/rpc/matching/input-matcher.ts';
import { Problems } from '../../../../../src/core/services/rpc/matching/problems.ts';
import type { InputMatcher } from '../../../../../src/core/services/rpc/stub.ts';
import type { Json, JsonObject } from '../../../../../src/core/kernel/json.ts';
import { anyAnimal, anyMatcherFor, Animal, animal, message, messageType, registry } from './zoo.ts';
import { referenceMatches } from './reference-matcher.ts';

describe('matching', () => {
  it('agrees with a slow matcher that follows the rules word by word', () => {
    let held = 0;
    fc.assert(
      fc.property(
        anyAnimal.chain((json) => fc.tuple(fc.constant(json), anyMatcherFor(json))),
        ([json, matcher]) => {
          const received = animal(json);
          const matches = compileInput(matcher, Animal, registry).matches(received);
          if (matches) held += 1;
          expect(matches).toBe(referenceMatches(matcher, Animal, received, registry));
        },
      ),
      { numRuns: 600 },
    );
    // A property over rules that never hold would say little.
    expect(held).toBeGreaterThan(30);
  });
});

function matches(matcher: InputMatcher, json: Json, type = 'zoo.Animal'): boolean {
  const desc = messageType(type);
  return compileInput(matcher, desc, registry).matches(message(desc, json));
}

function problemsOf(matcher: InputMatcher): readonly string[] {
  const problems = new Problems();
  compileInput(matcher, Animal, registry, problems);
  return problems.found.map(({ pointer, message }) => `${pointer} ${message}`);
}

function equals(rules: JsonObject, message: Json, ignoreArrayOrder = false): boolean {
  return matches({ ignoreArrayOrder, equals: rules }, message);
}

describe('equals', () => {
  it('leaves fields that it does not name free, at the top', () => {
    expect(equals({ name: 'Tom' }, { name: 'Tom', legs: 4 })).toBe(true);
    expect(equals({ name: 'Tom' }, { name: 'tom' })).toBe(false);
  });

  it('compares a nested message whole, save for fields at their default', () => {
    expect(equals({ home: { number: 5 } }, { home: { number: 5, rooms: [] } })).toBe(true);
    expect(equals({ home: { number: 5 } }, { home: { number: 5, streetName: 'High' } })).toBe(false);
    expect(equals({ home: { number: 5, rooms: [] } }, { home: { number: 5, nextDoor: {} } })).toBe(true);
    expect(equals({ home: {} }, {})).toBe(true);
  });

  it('takes an unset field for its default, and a set one with the default value, too', () => {
    expect(equals({ legs: 0, name: '', home: null, tags: [] }, {})).toBe(true);
    expect(equals({ legs: 0 }, { legs: 0 })).toBe(true);
    expect(equals({ fish: '' }, { grams: 5 })).toBe(true);
    expect(equals({ fish: '', grams: 0 }, { grams: 5 })).toBe(false);
  });

  it('knows the defaults of proto2', () => {
    expect(
      matches({ equals: { colour: 'red', count: 3, open: true, size: 'LARGE' } }, {}, 'legacy.Record'),
    ).toBe(true);
    expect(matches({ equals: { colour: '' } }, {}, 'legacy.Record')).toBe(false);
    expect(matches({ equals: { inner: { colour: 'red' } } }, { inner: { count: 3 } }, 'legacy.Record')).toBe(
      true,
    );
    expect(matches({ equals: { inner: {} } }, { inner: { count: 0 } }, 'legacy.Record')).toBe(false);
  });

  it.each<[JsonObject, Json]>([
    [{ ageYears: 3 }, { age_years: 3 }],
    [{ age_years: '3' }, { age_years: 3 }],
    [{ kind: 'CAT' }, { kind: 1 }],
    [{ kind: 1 }, { kind: 'CAT' }],
    [{ chip_number: '9007199254740993' }, { chip_number: '9007199254740993' }],
    [{ chip_number: 5 }, { chip_number: '5' }],
    [{ dna: '-_8' }, { dna: '+/8=' }],
    [{ height: 0.1 }, { height: 0.1 }],
    [{ weight: 'NaN' }, { weight: 'NaN' }],
    [{ born_at: '2026-01-01T01:00:00+01:00' }, { born_at: '2026-01-01T00:00:00Z' }],
    [{ born_at: { seconds: '1767225600' } }, { born_at: '2026-01-01T00:00:00Z' }],
    [{ nap: { seconds: 3, nanos: 500_000_000 } }, { nap: '3.5s' }],
    [{ nickname: 'Tom' }, { nickname: 'Tom' }],
    [{ nickname: { value: 'Tom' } }, { nickname: 'Tom' }],
    [{ extra: { a: [1, null] } }, { extra: { a: [1, null] } }],
    [{ extra: { fields: { a: { stringValue: 'x' } } } }, { extra: { a: 'x' } }],
    [{ anything: null }, {}],
    [{ mask: 'ageYears' }, { mask: 'ageYears' }],
    [{ mask: { paths: ['age_years'] } }, { mask: 'ageYears' }],
    [
      { packed: { '@type': 'x/zoo.Home', number: 5 } },
      { packed: { '@type': 'y/zoo.Home', number: 5, rooms: [] } },
    ],
    [{ homes_by_id: { 1: { number: 5 } } }, { homes_by_id: { 1: { number: 5 } } }],
    [
      { constructor: 'x', labels: { constructor: 'y' } },
      { constructor: 'x', labels: { constructor: 'y' } },
    ],
  ])('reads %j in %j', (rules, message) => {
    expect(equals(rules, message)).toBe(true);
  });

  it.each<[JsonObject, Json]>([
    [{ chip_number: '9007199254740993' }, { chip_number: '9007199254740992' }],
    [{ name: '5' }, { name: '5 ' }],
    [{ labels: { a: '1' } }, { labels: { a: '1', b: '2' } }],
    [{ extra: { a: 1 } }, { extra: { a: 1, b: null } }],
    [{ labels: {} }, { labels: { constructor: 'y' } }],
    [{ tags: ['a'] }, { tags: ['a', 'a'] }],
  ])('tells %j from %j', (rules, message) => {
    expect(equals(rules, message)).toBe(false);
  });

  it('keeps keys such as __proto__ apart from the objects of the engine', () => {
    const tricky = JSON.parse('{"labels": {"__proto__": "x"}}') as JsonObject;
    expect(equals(tricky, tricky)).toBe(true);
    expect(equals(tricky, {})).toBe(false);
    expect(equals({ labels: {} }, tricky)).toBe(false);
    expect(problemsOf({ equals: JSON.parse('{"__proto__": 1, "toString": 2}') as JsonObject })).toHaveLength(
      2,
    );
  });

  it('compares lists with their order unless told otherwise, and then at every depth', () => {
    expect(equals({ tags: ['a', 'b'] }, { tags: ['b', 'a'] })).toBe(false);
    expect(equals({ tags: ['a', 'b'] }, { tags: ['b', 'a'] }, true)).toBe(true);
    expect(equals({ tags: ['a', 'a', 'b'] }, { tags: ['a', 'b', 'b'] }, true)).toBe(false);
    expect(equals({ homes: [{ rooms: ['x', 'y'] }] }, { homes: [{ rooms: ['y', 'x'] }] }, true)).toBe(true);
    expect(equals({ extra: { a: [1, 2] } }, { extra: { a: [2, 1] } }, true)).toBe(true);
  });
});

describe('contains', () => {
  it.each<[JsonObject, Json, boolean]>([
    [{ name: 'om' }, { name: 'Tom' }, true],
    [{ name: 'om' }, { name: 'TOM' }, false],
    [{ home: { streetName: 'High' } }, { home: { street_name: 'High Street', number: 5 } }, true],
    [{ home: {} }, {}, true],
    [{ tags: ['a', 'c'] }, { tags: ['a', 'b', 'c'] }, true],
    [{ tags: ['c', 'a'] }, { tags: ['a', 'b', 'c'] }, false],
    [{ age_years: 3 }, { age_years: 33 }, false],
    [{ born_at: '2026-01' }, { born_at: '2026-01-01T00:00:00Z' }, true],
    [{ labels: { a: '1' } }, { labels: { a: '12', b: '2' } }, true],
    [{ extra: { a: { b: 'x' } } }, { extra: { a: { b: 'xy', c: 1 } } }, true],
  ])('of %j in %j is %j', (contains, message, expected) => {
    expect(matches({ contains }, message)).toBe(expected);
  });

  it('gives each element of an unordered list one of its own', () => {
    const matcher: InputMatcher = { ignoreArrayOrder: true, contains: { tags: ['a', 'ab'] } };
    expect(matches(matcher, { tags: ['ab', 'ba'] })).toBe(true);
    expect(matches(matcher, { tags: ['ab'] })).toBe(false);
  });
});

describe('matches and glob', () => {
  it.each<[InputMatcher, Json, boolean]>([
    [{ matches: { name: '^T.m$' } }, { name: 'Tom' }, true],
    [{ matches: { name: 'o' } }, { name: 'Tom' }, true],
    [{ matches: { age_years: '^1\\d$' } }, { age_years: 17 }, true],
    [{ matches: { chip_number: '3$' } }, { chip_number: '9007199254740993' }, true],
    [{ matches: { tame: 'true' } }, { tame: true }, true],
    [{ matches: { kind: '^C' } }, { kind: 'CAT' }, true],
    [{ matches: { height: '^0\\.1$' } }, { height: 0.1 }, true],
    [{ matches: { tags: ['a', 'b'] } }, { tags: ['xa', 'xb'] }, true],
    [{ matches: { tags: ['a'] } }, { tags: ['xa', 'xb'] }, false],
    [{ ignoreArrayOrder: true, matches: { tags: ['a', 'b'] } }, { tags: ['xb', 'xa'] }, true],
    [{ matches: { born_at: '^2026' } }, { born_at: '2026-01-01T00:00:00Z' }, true],
    [{ glob: { name: '/api/*/users' } }, { name: '/api/v1/users' }, true],
    [{ glob: { name: '/api/*/users' } }, { name: '/api/v1/v2/users' }, false],
    [{ glob: { name: '/api/**' } }, { name: '/api/v1/v2/users' }, true],
    [{ glob: { age_years: '1?' } }, { age_years: 17 }, true],
  ])('%j on %j is %j', (matcher, message, expected) => {
    expect(matches(matcher, message)).toBe(expected);
  });
});

describe('anyOf', () => {
  it('needs the base and at least one item', () => {
    const matcher: InputMatcher = {
      equals: { tame: true },
      anyOf: [{ equals: { name: 'a' } }, { contains: { name: 'b' } }],
    };
    expect(matches(matcher, { tame: true, name: 'xbx' })).toBe(true);
    expect(matches(matcher, { tame: true, name: 'c' })).toBe(false);
    expect(matches(matcher, { name: 'a' })).toBe(false);
  });

  it('hands its order of lists down to items that say nothing of their own', () => {
    const item = { equals: { tags: ['a', 'b'] } };
    expect(matches({ ignoreArrayOrder: true, anyOf: [item] }, { tags: ['b', 'a'] })).toBe(true);
    expect(
      matches(
        { ignoreArrayOrder: true, anyOf: [{ ...item, ignoreArrayOrder: false }] },
        { tags: ['b', 'a'] },
      ),
    ).toBe(false);
  });
});

describe('a rule', () => {
  it('that is null or empty matches anything', () => {
    expect(
      matches({ equals: null, contains: null, matches: {}, glob: null, anyOf: null }, { name: 'x' }),
    ).toBe(true);
    expect(matches({ equals: { nobody: null } }, {})).toBe(true);
  });

  it('that no message can meet never matches, and says where and why', () => {
    expect(matches({ equals: { nobody: 1 } }, {})).toBe(false);
    expect(problemsOf({ equals: { nobody: 1, 'a/b': 2 } })).toEqual([
      '/equals/nobody never matches: the message zoo.Animal has no field "nobody"',
      '/equals/a~1b never matches: the message zoo.Animal has no field "a/b"',
    ]);
    expect(problemsOf({ equals: { home: { rooms: [1] } }, contains: { tags: 'a' } })).toEqual([
      '/equals/home/rooms/0 never matches: expected a string, got 1',
      '/contains/tags never matches: expected a list, got "a"',
    ]);
    expect(problemsOf({ equals: { name: 'x' }, anyOf: [{ equals: { kind: 'BIRD' } }] })).toEqual([
      '/anyOf/0/equals/kind never matches: expected a value of zoo.Kind by name or number, got "BIRD"',
    ]);
  });

  it('that nests as deep as nothing does is refused without overflowing', () => {
    let deep: Json = {};
    for (let level = 0; level < 100_000; level += 1) deep = { next_door: deep };
    expect(matches({ equals: { home: deep } }, {})).toBe(false);
    expect(problemsOf({ contains: { home: deep } })).toEqual([
      ' never matches: no message nests deeper than 200 levels',
    ]);
  });

  it('on a request that is a Struct is on the keys of its JSON', () => {
    const on = (matcher: InputMatcher): boolean =>
      matches(matcher, { a: 'xy', b: [1] }, 'google.protobuf.Struct');
    expect(on({ equals: { a: 'xy' }, contains: { a: 'x', b: [1] }, matches: { a: '^x' } })).toBe(true);
    expect(on({ equals: { a: 'x' } })).toBe(false);
    expect(on({ equals: { c: null } })).toBe(true);
  });
});
