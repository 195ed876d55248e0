import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { failingLog } from '../../support/failing-log.ts';
import { manifest, simulate } from '../../support/simulate.ts';
import { connectTo, untilClosed } from '../../support/raw-connection.ts';
import { runAdmin, sayStub } from './running-admin.ts';

// Time limits are set to nearly nothing, and the tests wait for what the server does, not for a time.
const impatient = { headersMs: 40, requestMs: 60, checkEveryMs: 10 };

function problemIn(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

describe('a client that is too slow', () => {
  it.each([
    ['headers', 'GET /api/clock HTTP/1.1\r\nhost: localhost\r\nx-slow: '],
    [
      'body',
      'POST /api/stubs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    ],
  ])('with its %s is told so', async (_, bytes) => {
    const { url } = await runAdmin({ limits: impatient });
    const socket = await connectTo(url);
    socket.write(bytes);
    const text = await untilClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(problemIn(text)).toMatchObject({ status: 408, code: 'DT_REQUEST_TIMEOUT' });
  });

  it('is closed when nothing moves on its connection', async () => {
    const { url } = await runAdmin({ limits: { silentMs: 20 } });
    expect(await untilClosed(await connectTo(url))).toBe('');
  });
});

describe('a request that is too large', () => {
  const large = { ...sayStub, output: { data: { text: 'x'.repeat(3000) } } };

  it('is refused by the limit of its route', async () => {
    const { ask } = await runAdmin({ limits: { adminBodyBytesMax: 2000, controlBodyBytesMax: 100 } });
    expect((await ask('POST', '/api/stubs', { body: sayStub })).status).toBe(200);
    const reply = await ask('POST', '/api/stubs', { body: large });
    expect(reply.body).toMatchObject({ status: 413, code: 'DT_BODY_TOO_LARGE' });
    expect((await ask('POST', '/api/verify', { body: { service: 'x'.repeat(200) } })).status).toBe(413);
  });

  it('is refused by its headers', async () => {
    const { url } = await runAdmin({ limits: { headerBytesMax: 1024 } });
    const socket = await connectTo(url);
    socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx-large: ${'x'.repeat(2000)}\r\n\r\n`);
    expect(problemIn(await untilClosed(socket))).toMatchObject({ code: 'DT_HEADERS_TOO_LARGE' });
  });

  it('names too long a session', async () => {
    const { ask } = await runAdmin();
    expect((await ask('GET', '/api/clock', { session: 'x'.repeat(201) })).body).toMatchObject({
      code: 'DT_REQUEST_INVALID',
    });
  });
});

describe('what is not there', () => {
  it('is 404, and 405 where other methods are taken', async () => {
    const { ask } = await runAdmin();
    expect((await ask('GET', '/api/nothing')).body).toMatchObject({ code: 'DT_NOT_FOUND' });
    const reply = await ask('PUT', '/api/stubs/x');
    expect(reply.body).toMatchObject({ code: 'DT_METHOD_REFUSED' });
    expect(reply.headers.allow).toBe('DELETE, GET');
    expect((await ask('POST', '/api/nothing', { body: {} })).status).toBe(404);
  });

  it('is 400 where the path cannot be read', async () => {
    const { ask } = await runAdmin();
    expect((await ask('GET', '/api/stubs/%ff')).body).toMatchObject({ code: 'DT_REQUEST_MALFORMED' });
    expect((await ask('GET', `/api/stubs/${'x'.repeat(2000)}`)).body).toMatchObject({
      code: 'DT_REQUEST_INVALID',
    });
  });
});

describe('a log without room', () => {
  it('refuses changes with its code, still answers questions, and is not ready until it has room again', async () => {
    let isFull = false;
    const log = failingLog(openSqliteLog({ manifest: manifest() }), () => isFull);
    const { ask } = await runAdmin({ simulator: await simulate([], { log }) });
    isFull = true;
    const refused = await ask('POST', '/api/stubs', { body: sayStub });
    expect(refused.body).toMatchObject({ status: 503, code: 'DT_LOG_FULL', detail: 'no room left' });
    expect((await ask('POST', '/api/clock', { body: { advance: '1m' } })).status).toBe(503);
    expect((await ask('GET', '/api/stubs')).body).toEqual([]);
    expect((await ask('GET', '/api/health/liveness')).status).toBe(200);
    expect((await ask('GET', '/api/health/readiness')).body).toMatchObject({
      status: 503,
      code: 'DT_LOG_FULL',
    });
    isFull = false;
    expect((await ask('POST', '/api/stubs', { body: sayStub })).status).toBe(200);
    expect((await ask('GET', '/api/health/readiness')).status).toBe(200);
  });
});

it('is not ready while the process says so', async () => {
  const { ask } = await runAdmin({ isReady: () => false });
  expect((await ask('GET', '/api/health/readiness')).body).toMatchObject({
    status: 503,
    code: 'DT_LOG_UNAVAILABLE',
  });
});

describe('stopping', () => {
  it('ends although a client holds a request half sent', async () => {
    const { url, server } = await runAdmin({ limits: { drainMs: 20 } });
    const socket = await connectTo(url);
    const head = 'POST /api/stubs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
    socket.write(`${head}content-length: 9\r\nexpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    await server.stop();
    await untilClosed(socket);
    expect(socket.closed).toBe(true);
  });
});

it('a mistake of ours is told to who started it, and not to the client', async () => {
  const own = await simulate();
  const mistakes: unknown[] = [];
  const broken = {
    ...own,
    manifest: own.manifest,
    head: () => own.head(),
    onCommitted: () => () => undefined,
    worldAt: () => Promise.reject(new Error('the secret of the house')),
  } as unknown as typeof own;
  const { ask } = await runAdmin({ simulator: broken, onUnforeseen: (error) => mistakes.push(error) });
  const reply = await ask('GET', '/api/stubs');
  expect(reply.body).toMatchObject({ status: 500, code: 'DT_INTERNAL' });
  expect(JSON.stringify(reply.body)).not.toContain('secret');
  expect(mistakes).toMatchObject([{ message: 'the secret of the house' }]);
});
