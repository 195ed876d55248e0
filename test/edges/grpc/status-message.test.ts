import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeStatusMessage } from '../../../src/edges/grpc/status-message.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('a status message', () => {
  it('comes back whole when a client decodes it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const encoded = encodeStatusMessage(text, 10_000);
        expect(decodeURIComponent(encoded)).toBe(text.toWellFormed());
      }),
    );
  });

  it('is printable ASCII without a space at either end, whatever it says', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          expect(encodeStatusMessage(text, 200)).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/);
        },
      ),
    );
  });

  it('that is too long is cut at a whole character, and says so', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 9, max: 40 }), (text, bytesMax) => {
        const encoded = encodeStatusMessage(text, bytesMax);
        expect(encoded.length).toBeLessThanOrEqual(bytesMax);
        const decoded = decodeURIComponent(encoded);
        if (decoded === text.toWellFormed()) return;
        expect(decoded.endsWith('…')).toBe(true);
        expect(text.toWellFormed().startsWith(decoded.slice(0, -1))).toBe(true);
      }),
    );
  });

  it('leaves spaces and most signs readable', () => {
    expect(encodeStatusMessage('No stub: /a.B/C "x" <100%>', 100)).toBe('No stub: /a.B/C "x" <100%25>');
    expect(encodeStatusMessage('ends with a space ', 100)).toBe('ends with a space%20');
  });
});
