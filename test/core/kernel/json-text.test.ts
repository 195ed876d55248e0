import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonOffsets, parseJsonText } from '../../../src/core/kernel/json-text.ts';

const levelsMax = 101;

function parsed(text: string): unknown {
  const result = parseJsonText(text, levelsMax);
  return result.ok ? result.value : `${result.offset}: ${result.problem}`;
}

test('every value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 8 }).filter(isOrdinary),
      fc.constantFrom(0, 1, '\t', ' \n\r'),
      (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(parsed(spaced)).toEqual(JSON.parse(spaced));
      },
    ),
  );
});

test('a damaged text is read as JSON.parse reads it, or refused as it refuses it', () => {
  const damaged = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(3),
      fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\0-.eEtnu \n')), maxLength: 3 }),
    )
    .map(([text, at, length, put]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put + text.slice(start + length);
    });
  fc.assert(
    fc.property(damaged, (text) => {
      const ours = parseJsonText(text, levelsMax);
      const theirs = attempt(text);
      // What is refused beyond what JSON.parse refuses, and read in another way, has tests of its own.
      fc.pre(isOrdinary(text) && (ours.ok || !/twice|64 bits/.test(ours.problem)));
      expect(ours.ok ? { value: ours.value } : undefined).toEqual(theirs);
    }),
    { numRuns: 2000 },
  );
});

// Long integers are read otherwise; another property is about them.
function isOrdinary(text: string): boolean {
  return !/\d{16}/.test(text);
}

function attempt(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

test('any integer is exact: as a number, or as its decimal text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
      const value = parsed(`${integer}`);
      expect(['number', 'string']).toContain(typeof value);
      expect(BigInt(value as number | string)).toBe(integer);
      expect(String(value)).toBe(String(integer));
      expect(typeof value === 'number' || !Number.isSafeInteger(Number(integer))).toBe(true);
    }),
  );
});

test('the offsets of the items of a list are where the items begin', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (list) => {
      const text = JSON.stringify(list, null, 1);
      const result = parseJsonText(text, levelsMax);
      if (!result.ok) throw new Error(result.problem);
      expect(result.itemOffsets).toHaveLength(list.length);
      result.itemOffsets.forEach((offset, index) => {
        expect(text.startsWith(JSON.stringify(list[index], null, 1).split('\n')[0] ?? '', offset)).toBe(true);
      });
    }),
  );
});

test('every part of a value has an offset, by its pointer', () => {
  const text = '[0, {"a": [true, {"b/c": null}], "": 2}]';
  expect(Object.fromEntries(jsonOffsets(text, text.indexOf('{'), levelsMax))).toEqual({
    '': 4,
    '/a': 5,
    '/a/0': 11,
    '/a/1': 17,
    '/a/1/b~1c': 18,
    '/': 33,
  });
});

test('a key named __proto__ is a key like others', () => {
  const value = parsed('{"__proto__": {"polluted": true}, "constructor": 1}') as object;
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

describe('what is wrong is told with its offset', () => {
  test.each([
    ['', '0: expected a value, got the end of the text'],
    ['[1 2]', '3: expected "," or "]", got "2"'],
    ['[1,]', '3: expected another item: a "," before "]" is too much, got "]"'],
    ['{"a" 1}', '5: expected ":" after a key, got "1"'],
    ['{a: 1}', '1: expected a key in double quotes, got "a"'],
    ['{"a": 1, "a": 2}', '9: the key "a" is there twice'],
    ["'a'", '0: expected a value, got "\'"'],
    ['nul', '0: expected a value, got "nul"'],
    ['01', '1: expected the end of the text, got "1"'],
    ['1e999', '0: expected a number that fits 64 bits of floating point, got "1e999"'],
    ['"abc', '0: the text that begins here has no end'],
    ['"a\nb"', '2: expected no line break within a text: write it with a backslash'],
    ['"a\\x"', '2: expected one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX after the backslash'],
    ['[1] // one', '4: expected the end of the text, got "/"'],
  ])('%j', (text, problem) => {
    expect(parsed(text)).toBe(problem);
  });

  test('too many levels, long before the stack is full', () => {
    expect(parsed('['.repeat(1_000_000))).toBe('101: nests deeper than 101 levels');
    expect(parsed('{"a":'.repeat(1_000_000))).toBe('505: nests deeper than 101 levels');
    expect(parsed('['.repeat(101) + ']'.repeat(101))).toBeInstanceOf(Array);
  });
});
