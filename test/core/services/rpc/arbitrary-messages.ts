import type { DescField, DescMessage } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { base64 } from '../../../../src/core/kernel/bytes.ts';
import type { Json } from '../../../../src/core/kernel/json.ts';

/** Messages in canonical JSON, by proto names; one member of each oneof at most. */
export function arbitraryMessages(desc: DescMessage, depth: number): fc.Arbitrary<Json> {
  const members = desc.members.flatMap((member) => {
    if (member.kind === 'field') return [namedValues(member, depth)];
    return [fc.oneof(fc.constant({}), ...member.fields.map((one) => namedValues(one, depth)))];
  });
  const some = fc.subarray(members, { maxLength: Math.min(6, members.length) });
  return some.chain((chosen) => fc.tuple(...chosen)).map((parts) => Object.assign({}, ...parts) as Json);
}

function namedValues(field: DescField, depth: number): fc.Arbitrary<Json> {
  return values(field, depth).map((value) => ({ [field.name]: value }));
}

function values(field: DescField, depth: number): fc.Arbitrary<Json> {
  const element = elements(field, depth);
  if (field.fieldKind === 'list') return fc.array(element, { maxLength: 3 });
  if (field.fieldKind !== 'map') return element;
  return fc.dictionary(fc.constantFrom(...keysOf(field.mapKey)), element, { maxKeys: 3 });
}

function keysOf(type: number): string[] {
  if (type === 8) return ['true', 'false'];
  return type === 9 ? ['a', 'b', '__proto__', '1', ''] : ['0', '-1', '9007199254740993'];
}

function elements(field: DescField, depth: number): fc.Arbitrary<Json> {
  if (field.enum?.typeName === 'google.protobuf.NullValue') return fc.constant(null);
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map((value) => value.name));
  if (field.message !== undefined)
    return (
      wellKnown.get(field.message.typeName) ??
      (depth === 0 ? fc.constant({}) : arbitraryMessages(field.message, depth - 1))
    );
  return scalars.get(field.scalar) ?? fc.constant(0);
}

const int64s = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const uint64s = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const int32s = fc.integer();
const uint32s = fc.nat({ max: 0xffffffff });
const texts = fc.string({ unit: 'binary', maxLength: 8 });
const bytesTexts = fc.uint8Array({ maxLength: 8 }).map(base64);

const scalars: ReadonlyMap<number, fc.Arbitrary<Json>> = new Map<number, fc.Arbitrary<Json>>([
  [1, fc.double({ noNaN: true, noDefaultInfinity: true })],
  [2, fc.float({ noNaN: true, noDefaultInfinity: true })],
  [3, int64s],
  [4, uint64s],
  [5, int32s],
  [6, uint64s],
  [7, uint32s],
  [8, fc.boolean()],
  [9, texts],
  [12, bytesTexts],
  [13, uint32s],
  [15, int32s],
  [16, int64s],
  [17, int32s],
  [18, int64s],
]);

const jsons = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

const wellKnown: ReadonlyMap<string, fc.Arbitrary<Json>> = new Map<string, fc.Arbitrary<Json>>([
  [
    'google.protobuf.Timestamp',
    fc.record({
      seconds: fc.integer({ min: -62135596800, max: 253402300799 }).map(String),
      nanos: fc.nat(999_999_999),
    }),
  ],
  [
    'google.protobuf.Duration',
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((tenths) => `${tenths / 10}s`),
  ],
  ['google.protobuf.Struct', fc.dictionary(texts, jsons, { maxKeys: 3 })],
  ['google.protobuf.Value', jsons],
  ['google.protobuf.ListValue', fc.array(jsons, { maxLength: 3 })],
  ['google.protobuf.FieldMask', fc.constantFrom('', 'a', 'fooBar,baz.quxQuux')],
  ['google.protobuf.Any', fc.record({ '@type': fc.constant('x/rich.Strict'), must: texts })],
  ['google.protobuf.Int64Value', int64s],
  ['google.protobuf.StringValue', texts],
  ['google.protobuf.BytesValue', bytesTexts],
]);

/** True for a type whose JSON is not an object of its fields. */
export function hasOwnForm(desc: DescMessage): boolean {
  return wellKnown.has(desc.typeName);
}
