import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Explanation } from '../../src/core/simulator/explain.ts';
import { tellExplanation } from '../../src/commands/reading/tell-explanation.ts';
import { listStubs } from '../../src/commands/stubs/list.ts';
import { widthOf } from '../../src/edges/terminal/width.ts';

// What a terminal of 80 columns shows.

function terminalOf(columns: number) {
  const lines: string[] = [];
  const paint = (_colour: string, text: string) => text;
  const terminal = {
    columns,
    paint,
    paintNote: paint,
    line: (text = '') => void lines.push(text),
    note: () => undefined,
    progress: () => ({ advance: () => undefined, done: () => undefined }) as never,
  };
  return { terminal, lines };
}

it('the funnel of an explanation is broken before an arrow, and not at all where there is room', () => {
  const steps = ['stubs', 'this method', 'this session', 'not exhausted', 'headers', 'message'] as const;
  const explanation: Explanation = {
    seq: 7,
    at: 0,
    call: {
      call: 7,
      method: 'talk.v1.Talk/Say',
      session: '',
      verdict: 'missed',
      funnel: steps.map((step) => ({ step, count: 10_000 })),
      messages: [],
      others: [],
    },
  };
  const told = (columns: number) => {
    const { terminal, lines } = terminalOf(columns);
    tellExplanation(explanation, { seq: 7, at: 0, input: { kind: 'StubsRemoved' }, outcomes: [] }, terminal);
    return lines.filter((line) => line.includes('10000'));
  };
  expect(told(Number.POSITIVE_INFINITY)).toHaveLength(1);
  expect(told(80)).toEqual([
    '  stubs 10000 → this method 10000 → this session 10000 → not exhausted 10000',
    '    → headers 10000 → message 10000',
  ]);
});

it('the list of stubs fits, with methods and files that can be told apart', async () => {
  const stub = {
    id: '6f9619ff-8b86-4011-b42d-00cf4fc964ff',
    service: 'shop.v1.Catalogue',
    method: 'ListProducts',
    uses: 0,
    source: 'file',
    sourceFile: 'demo/stubs/catalogue.yaml',
    sourceLine: 18,
  };
  const server = createServer((_request, reply) => void reply.end(JSON.stringify([stub])));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // A server on TCP has an address with a port.
  const { port } = server.address() as AddressInfo;
  const { terminal, lines } = terminalOf(80);
  await listStubs({ admin: `http://127.0.0.1:${port}` }, terminal);
  await new Promise((resolve) => void server.close(resolve));
  expect(lines[1]).toMatch(/^6f9619ff {2}Catalogue\/ListProducts +0 +0 +demo\/stubs\/catalogue\.yaml:18$/);
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
});
