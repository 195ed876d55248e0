import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameMessage, FrameReader } from '../../../src/edges/grpc/frames.ts';
import { TransportFault } from '../../../src/edges/grpc/transport-fault.ts';

function readAll(chunks: readonly Buffer[], bytesMax = 1 << 20): { frames: unknown[]; partial: boolean } {
  const reader = new FrameReader(bytesMax);
  const frames: unknown[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
  }
  return { frames, partial: reader.partial };
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...sorted, bytes.length].map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

const someMessages = fc.array(
  fc.record({ bytes: fc.uint8Array({ maxLength: 40 }), compressed: fc.boolean() }),
  {
    maxLength: 8,
  },
);

describe('a frame reader', () => {
  it('gives the same messages however the bytes are cut into pieces', () => {
    fc.assert(
      fc.property(someMessages, fc.array(fc.nat(400)), (messages, places) => {
        const wire = Buffer.concat(messages.map(({ bytes, compressed }) => frameMessage(bytes, compressed)));
        expect(readAll(cutAt(wire, places))).toEqual({
          frames: messages.map(({ bytes, compressed }) => ({ compressed, bytes: new Uint8Array(bytes) })),
          partial: false,
        });
      }),
    );
  });

  it('says that something is missing after any cut-off end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(100), (bytes, place) => {
        const wire = frameMessage(bytes, false);
        const rest = wire.subarray(0, 1 + (place % (wire.length - 1)));
        expect(readAll([rest])).toEqual({ frames: [], partial: true });
      }),
    );
  });

  it('refuses a message over its limit by its prefix alone', () => {
    const wire = frameMessage(new Uint8Array(11), false);
    expect(readAll([wire], 11).frames).toHaveLength(1);
    expect(() => readAll([wire.subarray(0, 5)], 10)).toThrow(TransportFault);
  });

  it('refuses any flag but 0 and 1', () => {
    for (const flag of [2, 3, 128, 255]) {
      expect(() => readAll([Buffer.from([flag, 0, 0, 0, 0])])).toThrow(/flag 0 or 1, got/);
    }
  });

  it('gives copies, so that a few bytes do not keep a large buffer', () => {
    const wire = Buffer.concat([frameMessage(Uint8Array.of(1, 2, 3), false), Buffer.alloc(1)]);
    const reader = new FrameReader(100);
    reader.push(wire);
    expect(reader.next()?.bytes.buffer.byteLength).toBe(3);
  });
});
