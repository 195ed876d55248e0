import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableLines, type Column } from '../../../src/edges/terminal/table.ts';
import { fitted, padded, widthOf } from '../../../src/edges/terminal/width.ts';

const columns: readonly Column[] = [
  { title: 'SEQ', align: 'right' },
  { title: 'CALL', shrinks: true },
  { title: 'ANSWER', shrinks: true },
];
const plain = (_colour: string, text: string): string => text;

describe('a table', () => {
  it('is no wider than the terminal, while the columns that keep their width leave room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(99_999).map(String), word, word)),
        fc.integer({ min: 26, max: 200 }),
        (rows, room) => {
          for (const line of tableLines(columns, rows, room, plain))
            expect(widthOf(line)).toBeLessThanOrEqual(room);
        },
      ),
    );
  });

  it('cuts nothing where the output is not a terminal', () => {
    const long = 'x'.repeat(500);
    expect(tableLines(columns, [['1', long, 'OK']], Number.POSITIVE_INFINITY, plain)).toEqual([
      `SEQ  CALL${' '.repeat(496)}  ANSWER`,
      `  1  ${long}  OK`,
    ]);
  });

  it('takes from the widest column that may shrink', () => {
    expect(tableLines(columns, [['7', 'helloworld.Greeter/SayHello', 'NOT_FOUND']], 30, plain)).toEqual([
      'SEQ  CALL            ANSWER',
      '  7  helloworld.Gr…  NOT_FOUND',
    ]);
  });
});

describe('the width of text', () => {
  it('counts wide characters twice and colour not at all', () => {
    expect(widthOf('日本')).toBe(4);
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3);
  });

  it('is kept by fitting: never more than asked for', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 40 }), (text, room) => {
        expect(widthOf(fitted(text, room))).toBeLessThanOrEqual(room);
      }),
    );
  });

  it('is filled on the side that is asked for', () => {
    expect(padded('日', 4)).toBe('日  ');
    expect(padded('7', 3, 'right')).toBe('  7');
  });
});

const word = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '日', '👩', 'é', '-'), maxLength: 60 });
