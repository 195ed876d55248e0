import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../../src/core/kernel/canonical-json.ts';
import { isDeeperThan } from '../../../src/core/kernel/json.ts';

test('equal values have one text, whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(object));
    }),
  );
});

test('the text gives the value back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('keys that name parts of a prototype are keys like others', () => {
  const value = JSON.parse('{"constructor":2,"__proto__":{"polluted":true},"a":1}') as object;
  expect(canonicalJson(value)).toBe('{"__proto__":{"polluted":true},"a":1,"constructor":2}');
});

test('what is undefined is left out', () => {
  expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
});

test('depth is counted without recursion', () => {
  let nested: unknown = 0;
  for (let level = 0; level < 10_000; level += 1) nested = [nested];
  expect(isDeeperThan(nested, 100)).toBe(true);
  expect(isDeeperThan(nested, 10_000)).toBe(false);
  expect(isDeeperThan({ a: [1] }, 2)).toBe(false);
  expect(isDeeperThan({ a: [1] }, 1)).toBe(true);
});
