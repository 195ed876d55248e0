import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import type { Simulator } from '../../../src/core/simulator/simulator.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { failingLog } from '../../support/failing-log.ts';
import { manifest, simulate } from '../../support/simulate.ts';
import { connectTo, untilClosed } from '../../support/raw-connection.ts';
import { ask, runHttp } from './running-http.ts';

// Time limits are set to nearly nothing, and the tests wait for what the server does, not for a time.
const impatient = { headersMs: 40, requestMs: 60, checkEveryMs: 10 };

function problemIn(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

describe('a client that is too slow', () => {
  it('is told so when its headers do not come to an end', async () => {
    const { url } = await runHttp({ limits: impatient });
    const socket = await connectTo(url);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
    const text = await untilClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(problemIn(text)).toMatchObject({ status: 408, code: 'DT_REQUEST_TIMEOUT' });
  });

  it('is told so when half of its body does not come, and leaves no entry', async () => {
    const { simulator, url } = await runHttp({ limits: impatient });
    const before = simulator.head().seq;
    const socket = await connectTo(url);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf');
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 408 /);
    expect(simulator.head().seq).toBe(before);
  });

  it('is closed when it says nothing at all', async () => {
    const { url } = await runHttp({ limits: impatient });
    expect(await untilClosed(await connectTo(url))).toMatch(/^HTTP\/1\.1 408 |^$/);
  });

  it('is closed when it keeps its connection without using it', async () => {
    const { url } = await runHttp({ limits: { keepAliveMs: 20 } });
    const socket = await connectTo(url);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('a request that is too large', () => {
  it('is refused before its body is read when it says its length', async () => {
    const { simulator, url } = await runHttp({ limits: { bodyBytesMax: 10 } });
    const before = simulator.head().seq;
    const socket = await connectTo(url);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\n');
    const text = await untilClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(problemIn(text)).toMatchObject({ status: 413, code: 'DT_BODY_TOO_LARGE' });
    expect(simulator.head().seq).toBe(before);
  });

  it('is refused as soon as its chunks come to more than the limit', async () => {
    const { url } = await runHttp({ limits: { bodyBytesMax: 10 } });
    const socket = await connectTo(url);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nb\r\n12345678901\r\n');
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is taken when it is exactly as large as the limit', async () => {
    const { url } = await runHttp({ limits: { bodyBytesMax: 10 } });
    expect((await ask(url, 'POST', '/', { body: '1234567890' })).status).toBe(404);
  });

  it('is refused when its headers are', async () => {
    const { url } = await runHttp({ limits: { headerBytesMax: 1024 } });
    const socket = await connectTo(url);
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(2000)}\r\n\r\n`);
    const text = await untilClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(problemIn(text)).toMatchObject({ code: 'DT_HEADERS_TOO_LARGE' });
  });

  it('keeps every header, also more of them than Node keeps by itself', async () => {
    const { simulator, url } = await runHttp({ limits: { headerBytesMax: 1024 * 1024 } });
    const headers = Array.from({ length: 3000 }, (_, index) => [`x-${index}`, '1']).flat();
    await ask(url, 'GET', '/', { headers });
    const [entry] = await simulator.entries(simulator.head().seq, 1);
    expect(entry?.input).toMatchObject({ headers: expect.arrayContaining([['x-2999', '1']]) });
  });
});

it('answers what is not HTTP with 400', async () => {
  const { url } = await runHttp();
  const socket = await connectTo(url);
  socket.write('\x16\x03\x01\x02\x00\x01\r\n\r\n');
  expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 400 /);
});

it('takes no more connections than its limit', async () => {
  const { url } = await runHttp({ limits: { connectionsMax: 1 } });
  const first = await connectTo(url);
  const second = await connectTo(url);
  expect(await untilClosed(second)).toBe('');
  first.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(await untilClosed(first)).toMatch(/^HTTP\/1\.1 404 /);
});

it('answers 503 with the code of the log when the entry cannot be kept', async () => {
  let isFull = false;
  const log = failingLog(openSqliteLog({ manifest: manifest() }), () => isFull);
  const simulator = await simulate([], { log });
  const { url } = await runHttp({ simulator });
  isFull = true;
  const reply = await ask(url, 'GET', '/');
  expect(reply.status).toBe(503);
  expect(JSON.parse(reply.text)).toMatchObject({ code: 'DT_LOG_FULL', detail: 'no room left' });
});

describe('stopping', () => {
  interface Slow {
    readonly simulator: Simulator;
    /** When the next request is settled, without an answer. */
    readonly settled: Promise<void>;
    /** Answers it in a later entry. */
    readonly answer: () => void;
  }

  /** A simulator whose core does not answer in the entry of the request. */
  async function slowToAnswer(): Promise<Slow> {
    const own = await simulate();
    const listeners = new Set<(entry: LogEntry) => void>();
    const request = 1_000;
    let isSettled = (): void => undefined;
    const settled = new Promise<void>((resolve) => {
      isSettled = resolve;
    });
    const simulator: Simulator = {
      manifest: own.manifest,
      head: () => own.head(),
      world: () => own.world(),
      entries: (from, limit) => own.entries(from, limit),
      worldAt: (seq) => own.worldAt(seq),
      runTo: (to) => own.runTo(to),
      setClockMode: (mode) => own.setClockMode(mode),
      trouble: () => own.trouble(),
      stop: () => own.stop(),
      onCommitted(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      submit(input, then) {
        setImmediate(() => {
          then?.({ ok: true, entry: { seq: request, at: 0, input, outcomes: [] } });
          isSettled();
        });
        return request;
      },
    };
    return {
      simulator,
      settled,
      answer() {
        const given = { kind: 'ResponseGiven', request, status: 200, headers: [['x-late', 'yes']] } as const;
        const entry = {
          seq: request + 1,
          at: 0,
          input: { kind: 'ClockAdvanced', to: 0 },
          outcomes: [given],
        } as const;
        for (const listener of listeners) listener(entry);
      },
    };
  }

  it('answers who waits for a later entry with 503, and ends', async () => {
    const { simulator, settled } = await slowToAnswer();
    const { url, server } = await runHttp({ simulator });
    const reply = ask(url, 'GET', '/');
    await settled;
    await server.stop();
    expect(JSON.parse((await reply).text)).toMatchObject({ status: 503, code: 'DT_STOPPING' });
  });

  it('is not what a request waits for whose answer stands in a later entry', async () => {
    const { simulator, settled, answer } = await slowToAnswer();
    const { url } = await runHttp({ simulator });
    const reply = ask(url, 'GET', '/');
    await settled;
    answer();
    expect(await reply).toMatchObject({ status: 200, headers: { 'x-late': 'yes', 'content-length': '0' } });
  });

  it('ends although a client holds a request half sent', async () => {
    const { url, server } = await runHttp({ limits: { drainMs: 20 } });
    const socket = await connectTo(url);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    await server.stop();
    await untilClosed(socket);
    expect(socket.closed).toBe(true);
  });
});
