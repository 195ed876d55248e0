import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPointer, pointerSegments } from '../../../src/core/kernel/json-pointer.ts';

test('the segments of a pointer are the path that it was made of', () => {
  const key = fc.string({ unit: fc.constantFrom('a', '/', '~', '0', '1') });
  fc.assert(
    fc.property(fc.array(key), (path) => {
      expect(pointerSegments(jsonPointer(path))).toEqual(path);
    }),
  );
});

test('the examples of RFC 6901 hold', () => {
  expect(jsonPointer([])).toBe('');
  expect(jsonPointer(['foo', 0])).toBe('/foo/0');
  expect(jsonPointer([''])).toBe('/');
  expect(jsonPointer(['a/b'])).toBe('/a~1b');
  expect(jsonPointer(['m~n'])).toBe('/m~0n');
});
