import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import { callOnce, framed, rawCall, rawReply, text, type RawReply } from './clients.ts';
import { makeEchoSimulator, paths } from './echo-service.ts';
import { type Running, serve } from './running-server.ts';
import type { FakeSimulator } from './fake-simulator.ts';

// After each attack an ordinary client on another connection is served, and the server's memory of calls is empty.
let attacked: { running: Running; simulator: FakeSimulator } | undefined;

async function target(
  limits: Parameters<typeof serve>[1] = {},
): Promise<Running & { simulator: FakeSimulator }> {
  const simulator = makeEchoSimulator();
  const running = await serve(simulator, limits);
  attacked = { running, simulator };
  return { ...running, simulator };
}

async function expectStillServing(): Promise<void> {
  if (attacked === undefined) return;
  const { running } = attacked;
  attacked = undefined;
  expect(await callOnce(running.client(), paths.say, [text('still there?')])).toMatchObject({
    messages: ['still there?'],
    status: { code: 0 },
  });
}

afterEach(() => {
  attacked = undefined;
});

function isAbort({ input }: LogEntry): boolean {
  return input.kind === 'CallAborted';
}

/** Sends bytes as the body of one request on a connection of its own. */
async function send(
  running: Running,
  path: string,
  body: readonly Buffer[],
  { headers = {}, end = true }: { headers?: Record<string, string>; end?: boolean } = {},
): Promise<RawReply> {
  const stream = rawCall(await running.raw(), path, headers);
  const reply = rawReply(stream);
  for (const part of body) stream.write(part);
  if (end) stream.end();
  return reply;
}

describe('a request that is not what gRPC asks for ends alone, with a status and an input that says why', () => {
  const oneMessage = [paths.say, paths.tell];
  const everyKind = Object.values(paths);

  it.each(everyKind)('a message that ends halfway (%s)', async (path) => {
    const running = await target();
    const whole = framed('hello');
    for (const length of [1, 4, 5, whole.length - 1]) {
      expect(await send(running, path, [whole.subarray(0, length)])).toMatchObject({ grpcStatus: '13' });
    }
    expect((await running.simulator.committed(isAbort)).input).toMatchObject({
      code: 13,
      message: 'the request ended in the middle of a message',
    });
    await expectStillServing();
  });

  it.each(everyKind)('a length over the limit (%s)', async (path) => {
    const running = await target({ limits: { messageReceiveBytesMax: 100 } });
    const reply = await send(running, path, [Buffer.from([0, 0xff, 0xff, 0xff, 0xff])], { end: false });
    expect(reply).toMatchObject({
      grpcStatus: '8',
      grpcMessage: expect.stringContaining('messageReceiveBytesMax'),
    });
    expect(await send(running, path, [framed('x'.repeat(101))])).toMatchObject({ grpcStatus: '8' });
    expect((await running.simulator.committed(isAbort)).input).toMatchObject({ code: 8, method: path });
    await expectStillServing();
  });

  it.each(everyKind)('a compressed flag that is neither 0 nor 1 (%s)', async (path) => {
    const running = await target();
    expect(await send(running, path, [Buffer.from([7, 0, 0, 0, 0])])).toMatchObject({ grpcStatus: '13' });
    await expectStillServing();
  });

  it.each(everyKind)('a compressed flag without a compression (%s)', async (path) => {
    const running = await target();
    const body = [framed('hello', true)];
    expect(await send(running, path, body)).toMatchObject({ grpcStatus: '13' });
    expect(await send(running, path, body, { headers: { 'grpc-encoding': 'identity' } })).toMatchObject({
      grpcStatus: '13',
    });
    await expectStillServing();
  });

  it('a compression that nobody knows: UNIMPLEMENTED, with those that are known', async () => {
    const running = await target();
    const reply = await send(running, paths.say, [framed('hello', true)], {
      headers: { 'grpc-encoding': 'brötli' },
    });
    expect(reply).toMatchObject({ grpcStatus: '12' });
    expect(reply.headers['grpc-accept-encoding']).toBe('identity,deflate,gzip');
    await expectStillServing();
  });

  it('garbage instead of gzip, and gzip that ends halfway', async () => {
    const running = await target();
    const headers = { 'grpc-encoding': 'gzip' };
    expect(await send(running, paths.say, [framed('garbage', true)], { headers })).toMatchObject({
      grpcStatus: '13',
    });
    const half = gzipSync('hello').subarray(0, 15);
    expect(await send(running, paths.chat, [framed(half, true)], { headers })).toMatchObject({
      grpcStatus: '13',
    });
    await expectStillServing();
  });

  it.each(everyKind)('a gzip bomb: the limit is on what is unpacked (%s)', async (path) => {
    const running = await target();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    const reply = await send(running, path, [framed(bomb, true)], { headers: { 'grpc-encoding': 'gzip' } });
    expect(reply).toMatchObject({
      grpcStatus: '8',
      grpcMessage: expect.stringContaining('unpacks to more than'),
    });
    await expectStillServing();
  });

  it.each(oneMessage)('no message, or two, where there must be one (%s)', async (path) => {
    const running = await target();
    expect(await send(running, path, [])).toMatchObject({ grpcStatus: '12' });
    expect(await send(running, path, [framed('a'), framed('b')])).toMatchObject({ grpcStatus: '12' });
    expect(running.simulator.log.map(({ input }) => input.kind)).toEqual(['CallAborted', 'CallAborted']);
    await expectStillServing();
  });

  it('a timeout that is none', async () => {
    const running = await target();
    const reply = await send(running, paths.say, [framed('a')], { headers: { 'grpc-timeout': 'soon' } });
    expect(reply).toMatchObject({ grpcStatus: '13', grpcMessage: expect.stringContaining('grpc-timeout') });
    await expectStillServing();
  });

  it('a session name that is too long', async () => {
    const running = await target();
    const headers = { 'x-doubletake-session': 's'.repeat(201) };
    expect(await send(running, paths.say, [framed('a')], { headers })).toMatchObject({ grpcStatus: '3' });
    await expectStillServing();
  });

  it.each(['text/plain', 'application/grpc-web+proto', 'application/json'])(
    'another content type: HTTP 415 (%s)',
    async (type) => {
      const running = await target();
      const reply = await send(running, paths.say, [framed('a')], { headers: { 'content-type': type } });
      expect(reply.headers[':status']).toBe(415);
      expect((await running.simulator.committed(isAbort)).input).toMatchObject({
        code: 2,
        method: paths.say,
      });
      await expectStillServing();
    },
  );

  it('another method than POST: HTTP 405', async () => {
    const running = await target();
    for (const method of ['GET', 'PUT', 'HEAD']) {
      const reply = await send(running, paths.say, [], { headers: { ':method': method } });
      expect(reply.headers[':status']).toBe(405);
    }
    await expectStillServing();
  });

  it('and the other calls of its connection go on', async () => {
    const running = await target();
    const session = await running.raw();
    const good = rawCall(session, paths.chat);
    const goodReply = rawReply(good);
    const bad = rawCall(session, paths.say);
    const badReply = rawReply(bad);
    good.write(framed('a'));
    bad.end(Buffer.from([9, 9, 9, 9, 9]));
    expect(await badReply).toMatchObject({ grpcStatus: '13' });
    good.end(framed('b'));
    expect(await goodReply).toMatchObject({
      grpcStatus: '0',
      body: Buffer.concat([framed('a'), framed('b')]),
    });
  });
});

describe('a request that is only unusual is served', () => {
  it('packed with gzip or deflate, or announced as packed and not', async () => {
    const running = await target();
    const packed = { gzip: gzipSync('hello'), deflate: deflateSync('hello') };
    for (const [encoding, bytes] of Object.entries(packed)) {
      const headers = { 'grpc-encoding': encoding };
      const reply = await send(running, paths.say, [framed(bytes, true)], { headers });
      expect(reply).toMatchObject({ grpcStatus: '0', body: framed('hello') });
      expect(await send(running, paths.say, [framed('plain')], { headers })).toMatchObject({
        body: framed('plain'),
      });
    }
  });

  it('packed messages and plain ones on one stream keep their order', async () => {
    const running = await target();
    const big = 'x'.repeat(100_000);
    const body = [framed(gzipSync(big), true), framed('small'), framed(gzipSync('last'), true)];
    const reply = await send(running, paths.chat, body, { headers: { 'grpc-encoding': 'gzip' } });
    expect(reply).toMatchObject({
      grpcStatus: '0',
      body: Buffer.concat([framed(big), framed('small'), framed('last')]),
    });
  });

  it('cut into pieces of one byte', async () => {
    const running = await target();
    const pieces = [...framed('hello')].map((byte) => Buffer.of(byte));
    expect(await send(running, paths.say, pieces)).toMatchObject({ grpcStatus: '0', body: framed('hello') });
  });

  it('with empty messages, and with as many as the limit of one piece holds', async () => {
    const running = await target();
    expect(await send(running, paths.say, [framed('')])).toMatchObject({ grpcStatus: '0', body: framed('') });
    const many = Buffer.concat(Array.from({ length: 3000 }, () => framed('')));
    expect(await send(running, paths.chat, [many])).toMatchObject({ grpcStatus: '0', body: many });
  });
});

describe('a client that takes its time', () => {
  it.each(Object.values(paths))('leaves a message half sent: DEADLINE_EXCEEDED (%s)', async (path) => {
    const running = await target({ limits: { messageReceiveMs: 250 } });
    const reply = await send(running, path, [framed('hello').subarray(0, 7)], { end: false });
    expect(reply).toMatchObject({
      grpcStatus: '4',
      grpcMessage: expect.stringContaining('messageReceiveMs'),
    });
    await expectStillServing();
  });

  it('opens a unary call and says nothing: DEADLINE_EXCEEDED', async () => {
    const running = await target({ limits: { messageReceiveMs: 250 } });
    expect(await send(running, paths.say, [], { end: false })).toMatchObject({ grpcStatus: '4' });
    expect(await send(running, paths.say, [framed('no half-close')], { end: false })).toMatchObject({
      grpcStatus: '4',
    });
    await expectStillServing();
  });

  it('drips bytes: each one does not renew the time', async () => {
    const running = await target({ limits: { messageReceiveMs: 500 } });
    const stream = rawCall(await running.raw(), paths.chat);
    const reply = rawReply(stream);
    stream.write(Buffer.from([0, 0, 1, 0, 0]));
    const drip = setInterval(() => stream.write(Buffer.of(1)), 10);
    expect(await reply).toMatchObject({ grpcStatus: '4' });
    clearInterval(drip);
    await expectStillServing();
  });

  it('connects and never says a word: the connection is closed', async () => {
    const running = await target({ limits: { connectionIdleMs: 200 } });
    const socket = connectTcp(running.server.port, '127.0.0.1');
    socket.resume();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
    await expectStillServing();
  });

  it('talks something else than HTTP/2: the connection is closed', async () => {
    const running = await target();
    const socket = connectTcp(running.server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
    await expectStillServing();
  });
});

describe('a client that makes many calls', () => {
  it('and resets each at once is cut off or served, and others are served', async () => {
    const running = await target();
    const session = await running.raw();
    const closed: Promise<unknown>[] = [];
    for (let count = 0; count < 10_000 && !session.destroyed; count += 1) {
      const stream = rawCall(session, count % 2 === 0 ? paths.say : paths.chat);
      closed.push(new Promise((resolve) => stream.on('close', resolve)));
      stream.close(8);
      if (count % 500 === 0) await new Promise(setImmediate);
    }
    await Promise.all(closed);
    await expectStillServing();
    const openCalls = (): number => running.simulator.world().rpc.calls.size;
    await running.simulator.committed(() => openCalls() === 0);
    expect(openCalls()).toBe(0);
  });

  it('gets RESOURCE_EXHAUSTED for those over openCallsMax', async () => {
    const running = await target({ limits: { openCallsMax: 2 } });
    const session = await running.raw();
    const first = rawCall(session, paths.chat);
    const second = rawCall(session, paths.chat);
    first.write(framed('a'));
    second.write(framed('b'));
    await running.simulator.committed(({ seq }) => seq === 4);
    expect(await send(running, paths.chat, [])).toMatchObject({
      grpcStatus: '8',
      grpcMessage: expect.stringContaining('openCallsMax'),
    });
    const reply = rawReply(first);
    first.end();
    expect(await reply).toMatchObject({ grpcStatus: '0' });
    await expectStillServing();
  });

  it('is told how many a connection may have', async () => {
    const running = await target({ limits: { concurrentStreamsMax: 7 } });
    const session = await running.raw();
    if (session.remoteSettings.maxConcurrentStreams !== 7) await once(session, 'remoteSettings');
    expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 7 });
  });

  it('with more headers than allowed gets no stream', async () => {
    const running = await target({ limits: { headerListBytesMax: 2000 } });
    const headers = { 'x-large': 'x'.repeat(3000) };
    const reply = await send(running, paths.say, [framed('a')], { headers });
    // Node refuses the stream itself once the client has acknowledged the setting.
    expect(reply.grpcStatus ?? reply.resetCode).toSatisfy((code) => code === '8' || code === 11);
    await expectStillServing();
  });
});
