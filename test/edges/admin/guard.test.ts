import { describe, expect, it } from 'vitest';
import { simulate } from '../../support/simulate.ts';
import { startAdminServer } from '../../../src/edges/admin/server.ts';
import { connectTo, untilClosed } from '../../support/raw-connection.ts';
import { runAdmin, sayStub } from './running-admin.ts';

describe('the address', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.test', '127.0.0.1.example.test', '128.0.0.1'])(
    '%s needs a token before anything listens',
    async (host) => {
      const simulator = await simulate();
      const start = startAdminServer({ simulator, host, port: 0 });
      await expect(start).rejects.toMatchObject({ code: 'DT_ADMIN_UNPROTECTED' });
      await expect(startAdminServer({ simulator, host, port: 0, token: '' })).rejects.toMatchObject({
        code: 'DT_ADMIN_UNPROTECTED',
      });
    },
  );

  it.each(['127.0.0.1', 'localhost'])('%s needs none', async (host) => {
    const { ask, url } = await runAdmin({ host });
    expect((await ask('GET', '/api/clock')).status).toBe(200);
    expect(url.hostname).toBe(host);
  });

  it('off loopback is served with a token, under any address of its own', async () => {
    const { ask, server, simulator } = await runAdmin({ host: '0.0.0.0', token: 'open-sesame' });
    expect(server).toBeDefined();
    const headers = { authorization: 'Bearer open-sesame', host: '192.0.2.7:4771' };
    expect((await ask('GET', '/api/clock', { headers })).status).toBe(200);
    expect((await ask('GET', '/api/clock', { headers: { host: '192.0.2.7:4771' } })).status).toBe(401);
    expect((await ask('GET', '/api/clock', { headers: { ...headers, host: 'evil.test' } })).status).toBe(421);
    expect(simulator.head().seq).toBe(1);
  });
});

describe('a request with the Host', () => {
  it.each([
    'localhost',
    'LocalHost:80',
    '127.0.0.1:1',
    '127.9.9.9',
    '[::1]:4771',
    'doubletake.localhost',
    'proxy.test:8080',
  ])('%s is served', async (host) => {
    const { ask } = await runAdmin({ allowedHosts: ['proxy.test'] });
    expect((await ask('GET', '/api/clock', { headers: { host } })).status).toBe(200);
  });

  it.each([
    'evil.test',
    'localhost.evil.test',
    '127.0.0.1.evil.test',
    'evil.test:4771',
    '192.0.2.1',
    '[::2]',
    'user@localhost',
  ])('%s is refused: a page may have reached us through a name of its own', async (host) => {
    const { ask, simulator } = await runAdmin();
    const before = simulator.head().seq;
    const reply = await ask('DELETE', '/api/stubs', { headers: { host } });
    expect(reply.status).toBe(421);
    expect(reply.body).toMatchObject({ code: 'DT_HOST_REFUSED' });
    expect(simulator.head().seq).toBe(before);
  });
});

it('a request without a Host is refused', async () => {
  const { url } = await runAdmin();
  for (const head of ['GET /api/clock HTTP/1.1\r\nhost:\r\n', 'GET /api/clock HTTP/1.0\r\n']) {
    const socket = await connectTo(url);
    socket.write(`${head}connection: close\r\n\r\n`);
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 421 /);
  }
});

describe('a request that a web page sent', () => {
  it.each([
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: 'http://localhost:4771', host: '127.0.0.1:4771' },
    { origin: 'http://127.0.0.1:1', host: '127.0.0.1:2' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('from elsewhere is refused: %j', async (headers) => {
    const { ask, simulator } = await runAdmin();
    const before = simulator.head().seq;
    const reply = await ask('POST', '/api/stubs', { body: sayStub, headers });
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({ code: 'DT_ORIGIN_REFUSED' });
    expect((await ask('GET', '/api/stubs', { headers })).status).toBe(403);
    expect(simulator.head().seq).toBe(before);
  });

  it.each([
    { origin: 'http://127.0.0.1:4771', host: '127.0.0.1:4771' },
    { origin: 'https://LOCALHOST', host: 'localhost' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('from here is served: %j', async (headers) => {
    const { ask } = await runAdmin();
    expect((await ask('POST', '/api/stubs', { body: sayStub, headers })).status).toBe(200);
  });

  it('is given no leave to read answers', async () => {
    const { ask } = await runAdmin();
    const { headers } = await ask('OPTIONS', '/api/stubs', {
      headers: { 'access-control-request-method': 'POST' },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    '',
  ])('with the content type %s, which needs no leave of ours, is refused', async (type) => {
    const { ask } = await runAdmin();
    const headers = type === '' ? {} : { 'content-type': type };
    const reply = await ask('POST', '/api/stubs', { bytes: JSON.stringify(sayStub), headers });
    expect(reply.status).toBe(415);
    expect(reply.body).toMatchObject({ detail: expect.stringContaining('application/json') });
  });

  it('with a content type that another route takes is refused', async () => {
    const { ask } = await runAdmin();
    const reply = await ask('POST', '/api/verify', {
      bytes: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(reply.body).toMatchObject({ code: 'DT_MEDIA_TYPE_REFUSED' });
  });
});

describe('the token', () => {
  it.each([
    {},
    { authorization: 'Bearer wrong-secret' },
    { authorization: 'Basic open-sesame' },
    { authorization: 'open-sesame' },
  ])('is asked for, and a wrong one is not told back: %j', async (headers) => {
    const { ask } = await runAdmin({ token: 'open-sesame' });
    const reply = await ask('GET', '/api/stubs', { headers });
    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="doubletake"');
    expect(JSON.stringify(reply.body)).not.toMatch(/sesame|wrong-secret/);
  });

  it('opens every route, in any case of its scheme', async () => {
    const { ask } = await runAdmin({ token: 'open-sesame' });
    expect(
      (await ask('GET', '/api/stubs', { headers: { authorization: 'bearer open-sesame' } })).status,
    ).toBe(200);
  });

  it('is asked for also where there is nothing, and not by health', async () => {
    const { ask } = await runAdmin({ token: 'open-sesame' });
    expect((await ask('GET', '/nothing')).status).toBe(401);
    expect((await ask('GET', '/api/openapi.json')).status).toBe(401);
    expect((await ask('GET', '/api/health/liveness')).status).toBe(200);
    expect((await ask('GET', '/api/health/readiness')).status).toBe(200);
  });
});

it('every answer says that it is nothing to keep, to guess or to frame', async () => {
  const { ask } = await runAdmin();
  for (const path of ['/api/clock', '/nothing']) {
    expect((await ask('GET', path)).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  }
});
