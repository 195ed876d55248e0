import type { DescField, DescMessage } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMessage,
  elementFromJson,
  encodeJson,
  encodeStatus,
  fieldFromJson,
  fieldNamed,
  messageDepthMax,
  messageFromJson,
  messageJson,
  packAny,
} from '../../../../src/core/services/rpc/codec.ts';
import { noDescriptors } from '../../../../src/core/services/rpc/descriptors.ts';
import { base64 } from '../../../../src/core/kernel/bytes.ts';
import type { Json } from '../../../../src/core/kernel/json.ts';
import { arbitraryMessages, hasOwnForm } from './arbitrary-messages.ts';
import { descriptorsBelow, messageNamed } from './protos.ts';

const descriptors = descriptorsBelow(new URL('protos', import.meta.url));
const rich = messageNamed(descriptors, 'rich.Rich');
const legacy = messageNamed(descriptors, 'rich.Legacy');

function encoded(json: Json, desc: DescMessage = rich): Uint8Array {
  const result = encodeJson(desc, json, descriptors);
  if (!result.ok) throw new Error(`${result.pointer}: ${result.problem}`);
  return result.bytes;
}

function shown(bytes: Uint8Array, desc: DescMessage = rich): Json {
  const result = decodeMessage(desc, bytes);
  if (!result.ok) throw new Error(result.problem);
  return messageJson(result.message, desc, descriptors);
}

function shownOrProblem(bytes: Uint8Array, desc: DescMessage): string {
  const result = decodeMessage(desc, bytes);
  return result.ok ? JSON.stringify(messageJson(result.message, desc, descriptors)) : result.problem;
}

/** What is shown of one field of the message that `json` stands for. */
function field(name: string, json: Json): Json | undefined {
  return (shown(encoded({ [name]: json })) as Record<string, Json>)[name];
}

function problem(json: Json, desc: DescMessage = rich): { pointer: string; problem: string } {
  const result = encodeJson(desc, json, descriptors);
  if (result.ok) throw new Error('it fits');
  return { pointer: result.pointer, problem: result.problem };
}

describe('a message as JSON', () => {
  it('comes back the same from what is shown of it', () => {
    fc.assert(
      fc.property(arbitraryMessages(rich, 2), (json) => {
        const once = shown(encoded(json));
        expect(shown(encoded(once))).toEqual(once);
        expect(base64(encoded(once))).toBe(base64(encoded(shown(encoded(once)))));
      }),
    );
  });

  it('may name fields by proto name or by JSON name', () => {
    fc.assert(
      fc.property(arbitraryMessages(rich, 1), (json) => {
        expect(encoded(withJsonNames(rich, json))).toEqual(encoded(json));
      }),
    );
  });

  it('shows keys sorted and defaults filled in', () => {
    const json = shown(new Uint8Array());
    expect(Object.keys(json as object)).toEqual(Object.keys(json as object).toSorted());
    expect(json).toMatchObject({
      int64_value: '0',
      color: 'COLOR_UNSPECIFIED',
      names: [],
      counts: {},
      bytes_value: '',
    });
    expect(json).not.toHaveProperty('maybe_number');
    expect(json).not.toHaveProperty('child');
    expect(json).not.toHaveProperty('text_choice');
  });

  it('is exact beyond 2^53', () => {
    expect(field('int64_value', '9007199254740993')).toBe('9007199254740993');
    expect(field('uint64_value', '18446744073709551615')).toBe('18446744073709551615');
    expect(field('sfixed64_value', '-9223372036854775808')).toBe('-9223372036854775808');
    expect(field('by_number', { '-9007199254740993': 'x' })).toEqual({ '-9007199254740993': 'x' });
  });

  it.each<[string, Json, Json]>([
    ['int32_value', '12', 12],
    ['int32_value', '1e2', 100],
    ['int32_value', 3.0, 3],
    ['int64_value', 5, '5'],
    ['double_value', '0.5', 0.5],
    ['double_value', 'NaN', 'NaN'],
    ['double_value', '-Infinity', '-Infinity'],
    ['float_value', 0.1, 0.1],
    ['bool_value', 'true', true],
    ['color', 2, 'GREEN'],
    ['color', '1', 'RED'],
    ['color', 99, 99],
    ['colors', ['RED', -1], ['RED', 'MINUS']],
    ['bytes_value', '-_8', '+/8='],
    ['bytes_value', '+/8=', '+/8='],
    ['by_flag', { true: 'RED' }, { true: 'RED' }],
    [
      'counts',
      JSON.parse('{"__proto__": 1, "constructor": 2}') as Json,
      JSON.parse('{"__proto__": 1, "constructor": 2}') as Json,
    ],
  ])('takes %s as %j and shows %j', (name, json, expected) => {
    expect(JSON.stringify(field(name, json))).toBe(JSON.stringify(expected));
  });

  it.each<[string, Json, Json]>([
    ['created_at', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['created_at', '2026-01-01T01:30:00.5+01:30', '2026-01-01T00:00:00.500Z'],
    ['created_at', { seconds: '-1', nanos: 1 }, '1969-12-31T23:59:59.000000001Z'],
    ['created_at', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['created_at', '9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ['time_left', '3.5s', '3.500s'],
    ['time_left', '-0.000000001s', '-0.000000001s'],
    ['time_left', { seconds: 90 }, '90s'],
    ['mask', 'fooBar,baz.quxQuux', 'fooBar,baz.quxQuux'],
    ['mask', { paths: ['foo_bar'] }, 'fooBar'],
    ['settings', { a: [1, null, { b: 'x' }] }, { a: [1, null, { b: 'x' }] }],
    [
      'settings',
      { fields: { a: { stringValue: 'x' }, b: { list_value: { values: [{ numberValue: 1 }] } } } },
      { a: 'x', b: [1] },
    ],
    ['settings', { fields: 'not raw' }, { fields: 'not raw' }],
    ['anything', null, null],
    ['anything', { boolValue: true }, true],
    ['anything', [1, 'a'], [1, 'a']],
    ['values', [null, 1, { structValue: { fields: {} } }], [null, 1, {}]],
    ['list', { values: [1, { stringValue: 'x' }] }, [1, 'x']],
    ['wrapped_number', '7', '7'],
    ['wrapped_number', { value: 7 }, '7'],
    ['wrapped_text', '', ''],
    ['wrapped_choice', 'in a oneof', 'in a oneof'],
    ['nothing', {}, {}],
    [
      'packed',
      { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '1s' },
      { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '1s' },
    ],
    ['packed', { '@type': 'x/rich.Strict', must: 'be' }, { '@type': 'x/rich.Strict', must: 'be' }],
    ['packed', { type_url: 'x/unknown.Type', value: 'AQ==' }, { '@type': 'x/unknown.Type', value: 'AQ==' }],
    ['null_value', null, null],
  ])('takes the well-known type of %s as %j and shows %j', (name, json, expected) => {
    expect(field(name, json)).toEqual(expected);
  });

  it('leaves a field that is null unset', () => {
    expect(
      encoded({ string_value: null, child: null, numbers: null, text_choice: null, wrapped_text: null }),
    ).toHaveLength(0);
  });

  it('shows what has no canonical form by its fields', () => {
    const late = encoded({ created_at: { seconds: '999999999999999', nanos: -1 } });
    expect(shown(late)).toMatchObject({ created_at: { seconds: '999999999999999', nanos: -1 } });
  });

  it('keeps apart two fields whose names come to one name', () => {
    const twins = messageNamed(descriptors, 'rich.Twins');
    const json = { constructor: 'c', foo__bar: '2', foo_bar: 'a' };
    expect(shown(encoded(json, twins), twins)).toEqual(json);
    expect(shown(encoded({ first: 'a', second: 2 }, twins), twins)).toMatchObject({
      foo__bar: '2',
      foo_bar: 'a',
    });
  });

  it('has extensions under their names in brackets', () => {
    const json = { part: { label: 'x' }, '[rich.note]': 'n', '[rich.marks]': ['1'] };
    expect(shown(encoded(json, legacy), legacy)).toEqual(json);
  });

  it('may be a bare value where the type is a well-known one', () => {
    const { registry } = noDescriptors;
    const text = registry.getMessage('google.protobuf.StringValue') ?? rich;
    const time = registry.getMessage('google.protobuf.Timestamp') ?? rich;
    expect(shown(encoded('plain', text), text)).toBe('plain');
    expect(shown(encoded('2026-02-28T12:00:00Z', time), time)).toBe('2026-02-28T12:00:00Z');
    expect(shown(encoded(null, text), text)).toBe('');
  });
});

describe('JSON that does not fit', () => {
  it.each<[Json, string, string]>([
    [
      { child: { numbers: ['1', 'x'] } },
      '/child/numbers/1',
      'field rich.Rich.numbers (repeated int64) takes a whole number from -9223372036854775808 to 9223372036854775807, got "x"',
    ],
    [
      { int32_value: 2147483648 },
      '/int32_value',
      'rich.Rich.int32_value (int32) takes a whole number from -2147483648 to 2147483647, got 2147483648',
    ],
    [{ string_value: 5 }, '/string_value', 'takes a string, got 5'],
    [{ string_value: '\ud800' }, '/string_value', 'takes a string'],
    [{ 'a/b~c': 1 }, '/a~1b~0c', 'rich.Rich has no field "a/b~c"'],
    [{ color: 'BLUE' }, '/color', 'takes a value of rich.Color by name or number, got "BLUE"'],
    [{ bytes_value: '*' }, '/bytes_value', 'takes a string in base64, got "*"'],
    [{ created_at: '2026-02-29T00:00:00Z' }, '/created_at', 'takes an RFC 3339 time'],
    [{ time_left: '3.5seconds' }, '/time_left', 'takes seconds such as "3.5s", got "3.5seconds"'],
    [{ text_choice: 'a', number_choice: 1 }, '/number_choice', 'is a second member of oneof choice'],
    [{ otherName: 'a', renamed: 'b' }, '/renamed', 'is set twice'],
    [{ names: ['a', null] }, '/names/1', 'takes a string, got null'],
    [{ by_number: { x: 'a' } }, '/by_number/x', 'takes keys that are a whole number'],
    [{ packed: { '@type': 'x/no.Such' } }, '/packed', 'the type "x/no.Such" is not known'],
    [{ float_value: 1e39 }, '/float_value', 'takes a number of 32-bit floating point'],
    ['text', '', 'rich.Rich takes an object, got "text"'],
  ])('%j is refused at %s', (json, pointer, text) => {
    const refusal = problem(json);
    expect(refusal.pointer).toBe(pointer);
    expect(refusal.problem).toContain(text);
  });

  it('misses what is required', () => {
    expect(problem({}, messageNamed(descriptors, 'rich.Strict')).problem).toBe(
      'field rich.Strict.must is required',
    );
  });

  it('does not overflow the stack, however deep', () => {
    const deep = (wrap: (inner: Json) => Json): Json => {
      let json: Json = {};
      for (let level = 0; level < 10_000; level += 1) json = wrap(json);
      return json;
    };
    expect(problem(deep((child) => ({ child }))).problem).toContain(`deeper than ${messageDepthMax}`);
    expect(problem({ settings: deep((inner) => ({ inner })) }).problem).toContain('deeper than');
    expect(problem({ anything: deep((inner) => [inner]) }).problem).toContain('deeper than');
    expect(
      problem({ anything: deep((inner) => ({ structValue: { fields: { inner } } })) }).problem,
    ).toContain('deeper than');
  });
});

describe('bytes', () => {
  it('never throw, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(rich, legacy), (bytes, desc) => {
        expect(shownOrProblem(bytes, desc)).toBeTypeOf('string');
      }),
      { numRuns: 2000 },
    );
  });

  it('never throw when a message is cut or changed', () => {
    fc.assert(
      fc.property(arbitraryMessages(rich, 2), fc.nat(), fc.nat(), fc.nat(255), (json, end, at, byte) => {
        const bytes = encoded(json);
        const cut = bytes.slice(0, end % (bytes.length + 1));
        if (cut.length > 0) cut[at % cut.length] = byte;
        expect(shownOrProblem(cut, rich)).toBeTypeOf('string');
      }),
    );
  });

  it('are refused when they end inside a field', () => {
    const bytes = encoded({ child: { string_value: 'twelve bytes' } });
    for (let end = 1; end < bytes.length; end += 1)
      expect(decodeMessage(rich, bytes.slice(0, end)).ok).toBe(false);
  });

  it('are refused when they nest deeper than the limit', () => {
    const nested = (levels: number): Uint8Array => {
      let bytes = new Uint8Array();
      for (let level = 0; level < levels; level += 1)
        bytes = Uint8Array.from([0x9a, 0x01, ...lengthOf(bytes), ...bytes]);
      return bytes;
    };
    expect(decodeMessage(rich, nested(messageDepthMax - 1)).ok).toBe(true);
    expect(decodeMessage(rich, nested(messageDepthMax)).ok).toBe(false);
    // 10,000 levels of groups in an unknown field.
    expect(decodeMessage(rich, new Uint8Array(20_000).fill(0xfb)).ok).toBe(false);
  });

  it('are refused when a proto3 string is not UTF-8, and not in proto2', () => {
    expect(decodeMessage(rich, Uint8Array.of(0x72, 1, 0xff)).ok).toBe(false);
    expect(decodeMessage(legacy, Uint8Array.of(0x0a, 1, 0xff)).ok).toBe(true);
  });

  it('may hold fields that the type does not know', () => {
    expect(shown(Uint8Array.of(0xf8, 0x7f, 1, 0x18, 5))).toMatchObject({ int32_value: 5 });
  });

  it('of Any within Any do not overflow the stack', () => {
    const typeUrl = 'x/google.protobuf.Any';
    let value: Uint8Array = new Uint8Array();
    // The one detail of a status is an Any, after a byte of tag and the length.
    for (let level = 0; level < 1000; level += 1) {
      const status = encodeStatus({ code: 0, message: '', details: [{ typeUrl, value }] });
      value = status.slice(1 + lengthOf(status).length);
    }
    const packed = Uint8Array.from([0xb2, 0x02, ...lengthOf(value), ...value]);
    expect(shownOrProblem(packed, rich)).toContain('"@type":"x/google.protobuf.Any","value":{"@type"');
  });
});

describe('the value of a field', () => {
  it('is as a decoded message holds it', () => {
    fc.assert(
      fc.property(arbitraryMessages(rich, 1), (json) => {
        const decoded = decodeMessage(rich, encoded(json));
        const read = messageFromJson(rich, json, descriptors);
        if (!decoded.ok || !read.ok) throw new Error('it fits');
        expect(messageJson(read.value, rich, descriptors)).toEqual(
          messageJson(decoded.message, rich, descriptors),
        );
      }),
    );
  });

  it.each<[string, Json, unknown]>([
    ['int64_value', '5', 5n],
    ['sfixed64_value', 5, 5n],
    ['color', 'GREEN', 2],
    ['numbers', [1, '2'], [1n, 2n]],
    ['wrapped_number', { value: '3' }, 3n],
    ['settings', { fields: { a: { nullValue: null } } }, { a: null }],
    ['counts', { a: '1' }, { a: 1 }],
    ['bytes_value', 'AQI', Uint8Array.of(1, 2)],
    ['child', null, undefined],
  ])('of %s from %j', (name, json, expected) => {
    const read = fieldFromJson(fieldOf(rich, name), json, descriptors);
    expect(read).toEqual({ ok: true, value: expected });
  });

  it('can be one element of a list', () => {
    expect(elementFromJson(fieldOf(rich, 'numbers'), '7', descriptors)).toEqual({ ok: true, value: 7n });
    expect(elementFromJson(fieldOf(rich, 'numbers'), [7], descriptors).ok).toBe(false);
  });
});

describe('a status', () => {
  const status = messageNamed(noDescriptors, 'google.rpc.Status');

  it('carries its details', () => {
    const packed = packAny('google.rpc.RetryInfo', { retryDelay: '2s' }, descriptors);
    if (!packed.ok) throw new Error(packed.problem);
    const bytes = encodeStatus({ code: 14, message: 'später', details: [packed.any] });
    expect(shown(bytes, status)).toEqual({
      code: 14,
      message: 'später',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retry_delay: '2s' }],
    });
  });

  it('names a type that is not known, and a field that does not fit', () => {
    expect(packAny('x/no.Such', {}, descriptors)).toMatchObject({
      ok: false,
      problem: 'the type "x/no.Such" is not known',
    });
    expect(packAny('x/google.protobuf.Duration', { value: 5 }, descriptors)).toMatchObject({
      ok: false,
      pointer: '/value',
    });
    expect(packAny('x/google.rpc.ErrorInfo', { reason: 5 }, descriptors)).toMatchObject({
      ok: false,
      pointer: '/reason',
    });
  });
});

function fieldOf(desc: DescMessage, name: string): DescField {
  const found = fieldNamed(desc, name);
  if (found === undefined) throw new Error(`${desc.typeName} has no field ${name}`);
  return found;
}

function lengthOf(bytes: Uint8Array): number[] {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 0x80) return [...length, rest];
    length.push((rest & 0x7f) | 0x80);
  }
}

/** The same JSON with JSON names at every depth. */
function withJsonNames(desc: DescMessage, json: Json): Json {
  if (hasOwnForm(desc)) return json;
  const renamed = Object.entries(json as Record<string, Json>).map(([name, value]) => {
    const one = fieldOf(desc, name);
    return [one.jsonName, renamedValue(one, value)] as const;
  });
  return Object.fromEntries(renamed);
}

function renamedValue(field: DescField, value: Json): Json {
  const { message } = field;
  if (message === undefined) return value;
  if (field.fieldKind === 'list')
    return (value as readonly Json[]).map((item) => withJsonNames(message, item));
  if (field.fieldKind !== 'map') return withJsonNames(message, value);
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, item]) => [key, withJsonNames(message, item)]),
  );
}
