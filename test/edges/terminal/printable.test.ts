import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableBytes } from '../../../src/edges/terminal/printable.ts';

// oxlint-disable-next-line no-control-regex -- these are what must not come out
const control = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe('printable text', () => {
  it('holds no control character and no direction mark, whatever came in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(control.test(printable(text))).toBe(false);
      }),
    );
  });

  it('is the text itself when that is harmless', () => {
    for (const text of ['Hello Ada', 'Grüße 日本 👩‍🚀'.replace('\u200d', ''), ' ~'])
      expect(printable(text)).toBe(text);
  });

  it('writes escape sequences out', () => {
    expect(printable('\u001b[31mred\u009b0m')).toBe('\\u001b[31mred\\u009b0m');
    expect(printable('a\r\nb\t\u202etxt')).toBe('a\\r\\nb\\t\\u202etxt');
  });

  it('keeps line ends and tabs where several lines are wanted, and nothing else', () => {
    expect(printable('a\n\tb\r\u001b', { lines: true })).toBe('a\n\tb\\r\\u001b');
  });

  it('writes a lone half of a surrogate pair out', () => {
    expect(printable('a\ud800b')).toBe('a\\ud800b');
  });

  it('takes bytes only when they are UTF-8', () => {
    expect(printableBytes(new Uint8Array([0x68, 0x69, 0x07]))).toBe('hi\\u0007');
    expect(printableBytes(new Uint8Array([0xff, 0xfe]))).toBeUndefined();
  });
});
