import { readFileSync } from 'node:fs';
import {
  fromBinary,
  fromJson,
  toBinary,
  type DescMessage,
  type DescMethod,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../../src/core/kernel/json.ts';
import {
  findMethod,
  noDescriptors,
  withDescriptors,
} from '../../../../../src/core/services/rpc/descriptors.ts';
import type { InputMatcher, InputRules } from '../../../../../src/core/services/rpc/stub.ts';

const loaded = withDescriptors(noDescriptors, readFileSync('test/fixtures/matching/zoo.binpb'));
if (!loaded.ok) throw new Error(JSON.stringify(loaded.violations));

export const descriptors = loaded.descriptors;
export const { registry } = descriptors;

export function messageType(name: string): DescMessage {
  const desc = registry.getMessage(name);
  if (desc === undefined) throw new Error(`the fixture has no ${name}`);
  return desc;
}

export function method(path: string): DescMethod {
  const desc = findMethod(descriptors, path);
  if (desc === undefined) throw new Error(`the fixture has no ${path}`);
  return desc;
}

export const Animal = messageType('zoo.Animal');

/** As it comes from the wire. Read by protobuf-es, not by our own reader of JSON. */
export function message(desc: DescMessage, json: Json): Message {
  return fromBinary(desc, toBinary(desc, fromJson(desc, json as JsonValue, { registry })));
}

export function animal(json: Json): Message {
  return message(Animal, json);
}

// ── Arbitrary messages, from small sets of values so that rules often hold ──────────────────────────────────

const word = fc.constantFrom(
  '',
  'a',
  'b',
  'ab',
  'a b',
  'A',
  'a/b',
  '.a',
  'ä',
  'a\nb',
  '__proto__',
  'constructor',
  '5',
  'x.y',
);
const small = fc.constantFrom(0, 1, 2, -1, 5);
const int64 = fc.constantFrom('0', '1', '-1', '5', '9007199254740993', '9223372036854775807');
const float = fc.constantFrom(0, -0, 1, 0.1, 1.5, 16_777_217, 'NaN', 'Infinity');
const kind = fc.constantFrom('KIND_UNKNOWN', 'CAT', 'DOG');
const instant = fc.constantFrom('1970-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.500Z');

const { home } = fc.letrec<{ home: JsonObject }>((tie) => ({
  home: fc.record(
    {
      street_name: word,
      number: small,
      rooms: fc.array(word, { maxLength: 3 }),
      next_door: fc.option(tie('home'), { nil: {}, maxDepth: 2, depthIdentifier: 'home' }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>,
}));

// Without the names of a Struct's own fields: what has exactly the raw form is taken for it.
const key = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString');
const { dynamic } = fc.letrec<{ dynamic: Json }>((tie) => ({
  dynamic: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'dynamic' },
    fc.constantFrom<Json>(null, true, false, 0, 1, 'a', 'ab', ''),
    fc.array(tie('dynamic'), { maxLength: 3 }),
    struct(tie('dynamic')),
  ),
}));

function struct(value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: false }).map(ownKeys);
}

/** With `__proto__` as a key like others. */
export function ownKeys(object: Readonly<Record<string, Json>>): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}

const packed = fc.oneof(
  home.map((fields) => ({ '@type': 'type.googleapis.com/zoo.Home', ...fields })),
  instant.map((value) => ({ '@type': 'type.googleapis.com/google.protobuf.Timestamp', value })),
);

const food = fc.oneof(
  fc.constant({}),
  word.map((fish) => ({ fish })),
  small.map((grams) => ({ grams })),
  home.map((farm) => ({ farm })),
);

const fields = {
  name: word,
  constructor: word,
  age_years: small,
  chip_number: int64,
  steps: fc.constantFrom('0', '1', '18446744073709551615'),
  weight: float,
  height: float,
  tame: fc.boolean(),
  dna: fc.constantFrom('', 'AQ==', '+/8=', 'AQI='),
  kind,
  home,
  tags: fc.array(word, { maxLength: 3 }),
  scores: fc.array(small, { maxLength: 3 }),
  homes: fc.array(home, { maxLength: 2 }),
  labels: fc.dictionary(key, word, { maxKeys: 2, noNullPrototype: false }).map(ownKeys),
  homes_by_id: fc.dictionary(fc.constantFrom('1', '2', '-1'), home, { maxKeys: 2 }).map(ownKeys),
  born_at: instant,
  nap: fc.constantFrom('0s', '3.5s', '-1s'),
  nickname: word,
  owner_id: int64,
  extra: struct(dynamic),
  anything: dynamic,
  list: fc.array(dynamic, { maxLength: 2 }),
  packed,
  mask: fc.constantFrom('', 'name', 'name,ageYears'),
  legs: small,
  kinds: fc.array(kind, { maxLength: 3 }),
  visits: fc.array(instant, { maxLength: 2 }),
  votes: fc.dictionary(fc.constantFrom('true', 'false'), int64, { maxKeys: 2 }).map(ownKeys),
  aliases: fc.array(word, { maxLength: 2 }),
} as const;

/** JSON as protobuf has it, with proto names. */
export const anyAnimal: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.record(fields, { requiredKeys: [], noNullPrototype: true }), food)
  .map(([animal, eaten]) => ownKeys({ ...animal, ...eaten }));

// ── Arbitrary matchers ──────────────────────────────────────────────────────────────────────────────────────

/** A matcher on animals like this one: of some of its fields, in other spellings, some changed. */
export function anyMatcherFor(json: JsonObject): fc.Arbitrary<InputMatcher> {
  return fc
    .tuple(
      rulesFor(json),
      fc.option(fc.array(rulesFor(json), { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 3 }),
    )
    .map(([rules, anyOf]) => ({ ...rules, ...(anyOf !== undefined && { anyOf }) }));
}

function rulesFor(json: JsonObject): fc.Arbitrary<InputRules> {
  return fc
    .record(
      {
        ignoreArrayOrder: fc.boolean(),
        equals: fc.oneof(
          { weight: 6, arbitrary: ruleOf(json, respelled) },
          { weight: 1, arbitrary: fc.constant(null) },
        ),
        contains: fc.oneof(
          { weight: 4, arbitrary: ruleOf(json, partOf) },
          { weight: 1, arbitrary: fc.constant(null) },
        ),
        matches: ruleOf(json, patternOf),
        glob: ruleOf(json, globOf),
      },
      { requiredKeys: [] },
    )
    .map((rules) => JSON.parse(JSON.stringify(rules)) as InputRules);
}

function ruleOf(json: JsonObject, valueOf: (value: Json) => fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  const mixed = fc.oneof(
    { weight: 9, arbitrary: fc.constant(json) },
    { weight: 1, arbitrary: anyAnimal.map((other): JsonObject => ({ ...json, ...other })) },
  );
  return mixed.chain((source) =>
    fc
      .subarray(Object.keys(source), { maxLength: 3 })
      .chain((names) =>
        fc
          .tuple(
            ...names.map((name) => fc.tuple(spelled(name), fc.constant(source[name] ?? null).chain(valueOf))),
          )
          .map((entries) => ownKeys(Object.fromEntries(entries))),
      ),
  );
}

function spelled(name: string): fc.Arbitrary<string> {
  return fc.constantFrom(
    name,
    name.replaceAll(/_(\w)/g, (_, next: string) => next.toUpperCase()),
  );
}

/** The same value, perhaps written in another way. */
function respelled(value: Json): fc.Arbitrary<Json> {
  const others = otherSpellings(value);
  return others.length === 0 ? fc.constant(value) : fc.constantFrom(value, ...others);
}

function otherSpellings(value: Json): readonly Json[] {
  if (value === '2026-01-01T00:00:00Z')
    return ['2026-01-01T01:00:00+01:00', { seconds: 1_767_225_600 }, { seconds: '1767225600', nanos: 0 }];
  if (value === '3.5s') return ['3.500s', { seconds: 3, nanos: 500_000_000 }];
  if (value === 'CAT') return [1];
  if (value === '+/8=') return ['-_8', '+/8', '-_8='];
  if (value === '5') return [5];
  if (value === 0.1) return [0.100_000_001_490_116_12];
  return [];
}

/** A part of the value, as `contains` has it. */
function partOf(value: Json): fc.Arbitrary<Json> {
  if (typeof value === 'string') return fc.constantFrom(value, value.slice(0, 1), value.slice(1));
  if (Array.isArray(value)) return fc.subarray(value as Json[]);
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  const object = value as JsonObject;
  return fc
    .subarray(Object.keys(object))
    .chain((names) =>
      fc
        .tuple(...names.map((name) => fc.tuple(fc.constant(name), partOf(object[name] ?? null))))
        .map((entries) => ownKeys(Object.fromEntries(entries))),
    );
}

const patterns = fc.constantFrom(
  '',
  '',
  '',
  '^',
  '$',
  '.*',
  'a',
  '^a',
  'b$',
  '^$',
  'a.b',
  '[ab]',
  '5|1',
  'CAT|DOG',
  'T00:',
  '^-?\\d+$',
  'true',
  '\\.5',
  's$',
);
const globs = fc.constantFrom(
  '',
  '*',
  '*',
  '*',
  '**',
  '**',
  '**',
  'a*',
  '?',
  '*b',
  'a/*',
  '**/b',
  '{a,b}',
  '[ab]',
  '[!a]*',
  '\\*',
  '20*Z',
  '*.5*',
  'CAT',
);

function patternOf(value: Json): fc.Arbitrary<Json> {
  return leafwise(value, patterns);
}

function globOf(value: Json): fc.Arbitrary<Json> {
  return leafwise(value, globs);
}

/** The same shape with a pattern in place of each leaf; of an Any, the type URL stays. */
function leafwise(value: Json, leaf: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  if (Array.isArray(value)) return fc.tuple(...value.map((item: Json) => leafwise(item, leaf)));
  if (typeof value !== 'object' || value === null) return leaf;
  return fc
    .tuple(
      ...Object.entries(value).map(([name, item]) =>
        fc.tuple(fc.constant(name), name === '@type' ? fc.constant('.') : leafwise(item, leaf)),
      ),
    )
    .map((entries) => ownKeys(Object.fromEntries(entries)));
}
