import { METHODS } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HttpRequestReceived, LogEntry } from '../../../src/core/simulator/events.ts';
import type { Simulator } from '../../../src/core/simulator/simulator.ts';
import { sessionNameMax } from '../../../src/core/simulator/session.ts';
import { startAt } from '../../support/simulate.ts';
import { connectTo, untilClosed } from '../../support/raw-connection.ts';
import { ask, runHttp } from './running-http.ts';

async function lastRequest(
  simulator: Simulator,
): Promise<LogEntry & { readonly input: HttpRequestReceived }> {
  const [entry] = await simulator.entries(simulator.head().seq, 1);
  if (entry?.input.kind !== 'HttpRequestReceived') throw new Error('the last entry is no request');
  return entry as LogEntry & { readonly input: HttpRequestReceived };
}

describe('a request', () => {
  it('becomes one input as it was sent, and the answer is that of its entry', async () => {
    const { simulator, url } = await runHttp();
    const before = simulator.head().seq;
    const reply = await ask(url, 'POST', '/a/b?c=%20d&&e', {
      headers: ['X-Odd-Case', '1', 'x-odd-case', '2'],
      body: 'hi',
    });
    const { seq, input } = await lastRequest(simulator);
    expect(seq).toBe(before + 1);
    expect(input.method).toBe('POST');
    expect(input.target).toBe('/a/b?c=%20d&&e');
    expect(input.headers).toContainEqual(['X-Odd-Case', '1']);
    expect(input.headers).toContainEqual(['x-odd-case', '2']);
    expect(Buffer.from(input.bytes ?? []).toString()).toBe('hi');
    expect(reply.status).toBe(404);
    expect(reply.headers['doubletake-entry']).toBe(String(seq));
    expect(JSON.parse(reply.text)).toMatchObject({ entry: seq });
  });

  it('keeps any body bytes, of any type, undecoded', async () => {
    const { simulator, url } = await runHttp();
    const type = fc.constantFrom(
      undefined,
      'application/json',
      'application/x-www-form-urlencoded',
      'nonsense',
      'text/plain; charset=utf-16',
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), type, async (body, contentType) => {
        const headers = [
          'content-encoding',
          'gzip',
          ...(contentType === undefined ? [] : ['content-type', contentType]),
        ];
        await ask(url, 'PUT', '/', { headers, body });
        const { input } = await lastRequest(simulator);
        expect([...(input.bytes ?? [])]).toEqual([...body]);
      }),
      { numRuns: 50 },
    );
  });

  it.each(METHODS.filter((method) => method !== 'CONNECT'))(
    'may have the method %s, with a body',
    async (method) => {
      const { simulator, url } = await runHttp();
      const reply = await ask(url, method, '/x', { headers: ['content-length', '2'], body: 'hi' });
      const { input } = await lastRequest(simulator);
      expect(input).toMatchObject({ method, target: '/x' });
      expect(Buffer.from(input.bytes ?? []).toString()).toBe('hi');
      expect(reply.status).toBe(404);
      expect(reply.text === '').toBe(method === 'HEAD');
    },
  );

  it.each(['/%zz', '/a//b/../c', '/;x', '/%2e%2e/', '/?', '//evil.test/x', `/${'long'.repeat(2000)}`])(
    'may have the target %s',
    async (target) => {
      const { simulator, url } = await runHttp();
      await ask(url, 'GET', target);
      expect((await lastRequest(simulator)).input.target).toBe(target);
    },
  );

  it('keeps credentials out of the log, and the same one recognisable', async () => {
    const { simulator, url } = await runHttp();
    const seen: string[] = [];
    for (const secret of ['s3cret-a', 's3cret-a', 's3cret-b']) {
      await ask(url, 'GET', '/', {
        headers: ['Authorization', `Bearer ${secret}`, 'Cookie', `id=${secret}`],
      });
      const { input } = await lastRequest(simulator);
      expect(JSON.stringify(input)).not.toContain('s3cret');
      seen.push(input.headers.find(([name]) => name === 'Authorization')?.[1] ?? '');
    }
    expect(seen[0]).toMatch(/^Bearer fp_/);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).not.toBe(seen[2]);
  });

  it('is answered with the date of the log, not of the machine', async () => {
    const { url } = await runHttp();
    const { headers } = await ask(url, 'GET', '/');
    expect(headers.date).toBe(new Date(startAt).toUTCString());
  });
});

describe('the session of a request', () => {
  it.each(['x-doubletake-session', 'X-GripMock-Session'])('is named by the header %s', async (header) => {
    const { simulator, url } = await runHttp();
    await ask(url, 'GET', '/', { headers: [header, 'one'] });
    expect((await lastRequest(simulator)).input.session).toBe('one');
  });

  it.each([
    ['/__session/one/a?b', 'one', '/a?b'],
    ['/__session/one', 'one', '/'],
    ['/__session/one?b', 'one', '/?b'],
    ['/__session/a%2Fb%20c/x', 'a/b c', '/x'],
    ['/__session/one//x', 'one', '//x'],
    ['/__sessions/one/x', '', '/__sessions/one/x'],
    ['/x/__session/one/', '', '/x/__session/one/'],
  ])('is named by the path %s', async (path, session, target) => {
    const { simulator, url } = await runHttp();
    await ask(url, 'GET', path);
    expect((await lastRequest(simulator)).input).toMatchObject({ session, target });
  });

  it('is that of the path when there is a header too', async () => {
    const { simulator, url } = await runHttp();
    await ask(url, 'GET', '/__session/path/', { headers: ['x-doubletake-session', 'header'] });
    expect((await lastRequest(simulator)).input.session).toBe('path');
  });

  it.each([
    ['/__session//x', []],
    ['/__session/%ff/x', []],
    [`/__session/${'n'.repeat(sessionNameMax + 1)}/x`, []],
    ['/x', ['x-doubletake-session', 'n'.repeat(sessionNameMax + 1)]],
  ])('is refused in %s when it is no name', async (path, headers) => {
    const { simulator, url } = await runHttp();
    const before = simulator.head().seq;
    const reply = await ask(url, 'GET', path, { headers });
    expect(reply.status).toBe(400);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(reply.text)).toMatchObject({ status: 400, code: 'DT_SESSION_INVALID' });
    expect(simulator.head().seq).toBe(before);
  });
});

it('answers requests that are sent one after the other on one connection in their order', async () => {
  const { url } = await runHttp();
  const socket = await connectTo(url);
  const get = (path: string, last: string) => `GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${last}\r\n`;
  socket.write(get('/1', '') + get('/2', '') + get('/3', 'connection: close\r\n'));
  const text = await untilClosed(socket);
  expect([...text.matchAll(/answers GET (\/\d)/g)].map(([, path]) => path)).toEqual(['/1', '/2', '/3']);
});
