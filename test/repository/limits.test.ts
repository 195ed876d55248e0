import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { payloadInlineBytesMax } from '../../src/core/kernel/entry-codec.ts';
import { callBytesMax, callMessagesMax } from '../../src/core/services/rpc/calls.ts';
import { messageDepthMax } from '../../src/core/services/rpc/codec.ts';
import { explainedOthersMax } from '../../src/core/services/rpc/explain.ts';
import { warningsMax } from '../../src/core/services/rpc/loading.ts';
import { missRequestCharsMax } from '../../src/core/services/rpc/miss.ts';
import { changeableLimits, limitsFrom } from '../../src/commands/serving/limits.ts';

const [ofPorts = '', ofCore = ''] = readFileSync('docs/limits.md', 'utf8').split('## Of the core');

function documented(text: string): ReadonlyMap<string, number> {
  return new Map(
    Array.from(text.matchAll(/^\| `([\w.]+)` \| (\d+) \| \S/gm), ([, name = '', value]) => [
      name,
      Number(value),
    ]),
  );
}

test('the limits of the ports are those that are documented', () => {
  expect(documented(ofPorts)).toEqual(changeableLimits);
});

test('the limits of the core are those that are documented', () => {
  const limits = {
    callMessagesMax,
    callBytesMax,
    messageDepthMax,
    missRequestCharsMax,
    explainedOthersMax,
    warningsMax,
    payloadInlineBytesMax,
  };
  expect(documented(ofCore)).toEqual(new Map(Object.entries(limits)));
});

test('a limit is given by name, with a unit that fits it', () => {
  const given = ['grpc.messageReceiveBytesMax=8MiB', 'http.requestMs=1m30s', 'admin.pageItemsMax=10'];
  expect(limitsFrom(given)).toEqual({
    grpc: { messageReceiveBytesMax: 8 * 1024 * 1024 },
    http: { requestMs: 90_000 },
    admin: { pageItemsMax: 10 },
  });
});

test.each(['grpc.nosuch=1', 'ftp.requestMs=1', 'http.requestMs=0', 'http.requestMs=soon', '__proto__.x=1'])(
  'a limit that is none is refused: %s',
  (text) => {
    expect(() => limitsFrom([text])).toThrow(/limit|number above 0/);
  },
);
