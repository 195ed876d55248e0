import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResponseGiven } from '../../../src/core/simulator/events.ts';
import type { Simulator } from '../../../src/core/simulator/simulator.ts';
import { connectTo, untilClosed } from '../../support/raw-connection.ts';
import { simulate, startAt } from '../../support/simulate.ts';
import { ask, runHttp } from './running-http.ts';

type Given = Omit<ResponseGiven, 'kind' | 'request'>;

/** A simulator whose core answers each request with what `next` says. */
async function answering(next: () => Given): Promise<Simulator> {
  const own = await simulate();
  return {
    manifest: own.manifest,
    head: () => own.head(),
    world: () => own.world(),
    entries: (from, limit) => own.entries(from, limit),
    worldAt: (seq) => own.worldAt(seq),
    runTo: (to) => own.runTo(to),
    setClockMode: (mode) => own.setClockMode(mode),
    trouble: () => own.trouble(),
    stop: () => own.stop(),
    onCommitted: (listener) => own.onCommitted(listener),
    submit(input, settled) {
      const outcomes = [{ kind: 'ResponseGiven', request: 7, ...next() } as const];
      setImmediate(() => settled?.({ ok: true, entry: { seq: 7, at: startAt, input, outcomes } }));
      return 7;
    },
  };
}

function bodyOf(url: URL): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname: url.hostname, port: url.port, agent: false });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => resolve(Buffer.concat(chunks)));
    });
    request.end();
  });
}

describe('a reply', () => {
  it('has the bytes that core gave, whatever they are and however many', async () => {
    let bytes: Uint8Array = new Uint8Array(0);
    const { url } = await runHttp({
      simulator: await answering(() => ({ status: 200, headers: [], bytes })),
    });
    const sizes = fc.constantFrom(1, 200, 16 * 1024, 16 * 1024 + 1, 100_000);
    await fc.assert(
      fc.asyncProperty(sizes, fc.uint8Array({ minLength: 1, maxLength: 32 }), async (size, piece) => {
        bytes = Uint8Array.from({ length: size }, (_, index) => piece[index % piece.length] ?? 0);
        expect((await bodyOf(url)).equals(bytes)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('has the headers that core gave, in their order, spelling and repetition, and a length', async () => {
    const headers = [
      ['Set-Cookie', 'a=1'],
      ['x-b', '2'],
      ['set-cookie', 'c=3'],
    ] as const;
    const { url } = await runHttp({
      simulator: await answering(() => ({ status: 201, headers, bytes: Buffer.from('ok') })),
    });
    const reply = await ask(url, 'GET', '/');
    expect(reply.status).toBe(201);
    expect(reply.rawHeaders.slice(0, 6)).toEqual(headers.flat());
    expect(reply.headers['content-length']).toBe('2');
  });

  it('keeps the length and the date that core gave', async () => {
    const headers = [
      ['Date', 'Thu, 01 Jan 1970 00:00:00 GMT'],
      ['Content-Length', '2'],
    ] as const;
    const { url } = await runHttp({
      simulator: await answering(() => ({ status: 200, headers, bytes: Buffer.from('ok') })),
    });
    const { rawHeaders, headers: read } = await ask(url, 'GET', '/');
    expect(rawHeaders.filter((name) => /^(?:date|content-length)$/i.test(name))).toEqual([
      'Date',
      'Content-Length',
    ]);
    expect(read.date).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
  });

  it.each([204, 304])('of status %s has no body and no length', async (status) => {
    const { url } = await runHttp({ simulator: await answering(() => ({ status, headers: [] })) });
    const reply = await ask(url, 'GET', '/');
    expect(reply).toMatchObject({ status, text: '' });
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it('to HEAD says the length of the body that it does not send', async () => {
    const { url } = await runHttp({
      simulator: await answering(() => ({ status: 200, headers: [], bytes: Buffer.from('four') })),
    });
    expect(await ask(url, 'HEAD', '/')).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '4' },
    });
  });

  it('that HTTP cannot carry is a problem, and the port lives on', async () => {
    let headers: Given['headers'] = [['x-bad', 'a\nb']];
    const { url } = await runHttp({ simulator: await answering(() => ({ status: 200, headers })) });
    const reply = await ask(url, 'GET', '/');
    expect(JSON.parse(reply.text)).toMatchObject({ status: 500, code: 'DT_REPLY_UNWRITABLE' });
    headers = [];
    expect((await ask(url, 'GET', '/')).status).toBe(200);
  });

  it('that a client does not take in time ends its connection', async () => {
    const bytes = new Uint8Array(64 * 1024 * 1024);
    const { url } = await runHttp({
      simulator: await answering(() => ({ status: 200, headers: [], bytes })),
      limits: { unreadReplyMs: 20 },
    });
    const socket = await connectTo(url);
    socket.pause();
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    // A client that does not read hears of the end only when it writes.
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      const knock = (): void => {
        if (socket.destroyed) return;
        socket.write('x');
        setImmediate(knock);
      };
      setImmediate(knock);
    });
    expect(await untilClosed(socket)).toBe('');
  });
});
