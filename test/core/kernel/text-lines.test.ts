import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from '../../../src/core/kernel/text-lines.ts';

test('line and column lead back to the offset', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '😀') }), fc.nat(), (text, seed) => {
      const offset = seed % (text.length + 1);
      const lines = textLines(text);
      const before = text.split('\n').slice(0, lines.lineAt(offset) - 1);
      expect(before.reduce((sum, line) => sum + line.length + 1, 0) + lines.columnAt(offset) - 1).toBe(
        offset,
      );
    }),
  );
});

test('lines and columns count from 1', () => {
  const lines = textLines('ab\n\nc');
  expect([0, 2, 3, 4].map((offset) => `${lines.lineAt(offset)}:${lines.columnAt(offset)}`)).toEqual([
    '1:1',
    '1:3',
    '2:1',
    '3:1',
  ]);
});
