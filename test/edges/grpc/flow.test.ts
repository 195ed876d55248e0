import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import { callOnce, framed, metadata, openCall, rawCall, rawReply, replyOf, text } from './clients.ts';
import { ended, makeEchoSimulator, message, paths } from './echo-service.ts';
import { serve } from './running-server.ts';

const isCancel = ({ input }: LogEntry): boolean => input.kind === 'CallCancelled';
const isAbort = ({ input }: LogEntry): boolean => input.kind === 'CallAborted';

/** What was sent on the connection before has been taken in by the server, and what it did at once is done. */
async function roundTrip(session: ClientHttp2Session): Promise<void> {
  for (let count = 0; count < 2; count += 1) {
    await new Promise<void>((resolve) => {
      session.ping(() => resolve());
    });
  }
}

describe('cancellation', () => {
  it('in the middle of a server stream is an input, and nothing goes out after it', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' ? [message(call, text('first'))] : undefined,
    );
    const { client } = await serve(simulator);
    const call = openCall(client(), paths.tell);
    const reply = replyOf(call);
    const first = once(call, 'data');
    call.write(text('go'));
    call.end();
    await first;
    call.cancel();
    expect((await simulator.committed(isCancel)).input).toEqual({
      kind: 'CallCancelled',
      call: 1,
      reason: 'client',
    });
    expect(await reply).toMatchObject({ messages: ['first'], status: { code: 1 } });
    expect(simulator.world().rpc.calls.size).toBe(0);
  });

  it('of a call that is answered and not yet durable is no news', async () => {
    const simulator = makeEchoSimulator();
    const { client, raw } = await serve(simulator);
    simulator.pause();
    const session = await raw();
    const stream = rawCall(session, paths.say);
    const closed = rawReply(stream);
    stream.end(framed('a'));
    await roundTrip(session);
    expect(simulator.world().seq).toBe(1);
    stream.close(8);
    await closed;
    await roundTrip(session);
    simulator.resume();
    await callOnce(client(), paths.say, [text('b')]);
    expect(simulator.log.map(({ input }) => input.kind)).toEqual(['CallOpened', 'CallOpened']);
  });

  it('and messages that come after the end of a call are no news', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'MessageReceived' ? [ended(call, 5, 'enough')] : undefined,
    );
    const { raw } = await serve(simulator);
    const session = await raw();
    const stream = rawCall(session, paths.chat);
    const reply = rawReply(stream);
    simulator.pause();
    for (const part of ['a', 'b', 'c']) stream.write(framed(part));
    await roundTrip(session);
    simulator.resume();
    expect(await reply).toMatchObject({ grpcStatus: '5', grpcMessage: 'enough' });
    expect(simulator.log.map(({ input }) => input.kind)).toEqual(['CallOpened', 'MessageReceived']);
  });

  it('before a unary request is whole is kept, without a call', async () => {
    const simulator = makeEchoSimulator();
    const { raw } = await serve(simulator);
    const session = await raw();
    const stream = rawCall(session, paths.say);
    stream.write(framed('a'));
    // A whole call on the same connection comes after what was sent before it.
    const other = rawReply(rawCall(session, paths.say).end(framed('b')));
    await other;
    session.destroy();
    const { input } = await simulator.committed(isAbort);
    expect(input).toMatchObject({ kind: 'CallAborted', code: 1, method: paths.say });
    expect(input).not.toHaveProperty('call');
  });

  it('is noticed when the whole connection goes', async () => {
    const simulator = makeEchoSimulator();
    const { raw } = await serve(simulator);
    const session = await raw();
    rawCall(session, paths.chat).write(framed('a'));
    await simulator.committed(({ input }) => input.kind === 'MessageReceived');
    session.destroy();
    expect((await simulator.committed(isCancel)).input).toMatchObject({ call: 1, reason: 'client' });
  });
});

describe('a deadline', () => {
  it('comes with the call, in whole milliseconds', async () => {
    const simulator = makeEchoSimulator();
    const { raw } = await serve(simulator);
    const stream = rawCall(await raw(), paths.say, { 'grpc-timeout': '1500000u' });
    const reply = rawReply(stream);
    stream.end(framed('a'));
    await reply;
    expect(simulator.log[0]?.input).toMatchObject({ timeoutMs: 1500 });
  });

  it('on a virtual clock does not end the call: only the simulator does', async () => {
    const simulator = makeEchoSimulator((input, call) => {
      if (input.kind === 'CallOpened') return [];
      return input.kind === 'ClockAdvanced' ? [message(1, text(`at ${call}`)), ended(1)] : undefined;
    }, 'virtual');
    const { raw, client } = await serve(simulator);
    const stream = rawCall(await raw(), paths.say, { 'grpc-timeout': '1n' });
    const reply = rawReply(stream);
    stream.end(framed('a'));
    await simulator.committed(({ input }) => input.kind === 'CallOpened');
    // Whole round trips later, the deadline of a nanosecond is long over on every other clock.
    await callOnce(client(), '/nobody.Home/Knock', []).catch(() => undefined);
    simulator.submit({ kind: 'ClockAdvanced', to: 5 });
    expect(await reply).toMatchObject({ grpcStatus: '0' });
  });

  it("that ends at the client is told as such, on the client's own clock", async () => {
    const simulator = makeEchoSimulator((input) => (input.kind === 'CallOpened' ? [] : undefined));
    const { client } = await serve(simulator);
    const reply = callOnce(client(), paths.say, [text('a')], { deadline: Date.now() + 50 });
    expect((await reply).status.code).toBe(4);
    expect((await simulator.committed(isCancel)).input).toMatchObject({ call: 1, reason: 'deadline' });
  });
});

describe('flow control', () => {
  const block = Buffer.alloc(64 * 1024, 1);

  it('holds a client that sends faster than its messages become durable', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator, { limits: { unsettledMessagesMax: 3 } });
    const call = openCall(client(), paths.gather);
    const reply = replyOf(call);
    call.write(text('first'));
    await simulator.committed(({ input }) => input.kind === 'MessageReceived');
    simulator.pause();
    for (let count = 0; count < 100; count += 1) call.write(text('x'));
    call.end();
    await callOnce((await serve(makeEchoSimulator())).client(), paths.say, [text('meanwhile')]);
    expect(simulator.world().seq).toBeLessThanOrEqual(2 + 3);
    simulator.resume();
    expect(await reply).toMatchObject({ messages: [String.fromCharCode(101)], status: { code: 0 } });
    expect(simulator.log).toHaveLength(1 + 101 + 1);
  });

  it('notices that a client has gone whom it holds', async () => {
    const simulator = makeEchoSimulator();
    const { raw } = await serve(simulator, { limits: { unsettledMessagesMax: 2 } });
    const session = await raw();
    const stream = rawCall(session, paths.gather);
    stream.write(framed('first'));
    await simulator.committed(({ input }) => input.kind === 'MessageReceived');
    simulator.pause();
    for (let count = 0; count < 100; count += 1) stream.write(framed('x'));
    await callOnce((await serve(makeEchoSimulator())).client(), paths.say, [text('meanwhile')]);
    session.destroy();
    simulator.resume();
    expect((await simulator.committed(isCancel)).input).toMatchObject({ call: 1, reason: 'client' });
  });

  it('queues for a client that reads late, and brings everything in order', async () => {
    const parts = Array.from({ length: 40 }, (_, index) => Buffer.concat([Buffer.of(index), block]));
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' ? [...parts.map((bytes) => message(call, bytes)), ended(call)] : undefined,
    );
    const { raw } = await serve(simulator);
    const stream = rawCall(await raw(), paths.tell);
    stream.pause();
    stream.end(framed('go'));
    await once(stream, 'response');
    const whole = rawReply(stream);
    stream.resume();
    const reply = await whole;
    expect(reply.body.equals(Buffer.concat(parts.map((bytes) => framed(bytes))))).toBe(true);
    expect(reply.grpcStatus).toBe('0');
  });

  it('resets a call whose client does not read once queuedBytesMax would wait, and the log says so', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' && input.method === paths.tell
        ? [...Array.from({ length: 100 }, () => message(call, block)), ended(call)]
        : undefined,
    );
    const { raw, client } = await serve(simulator, { limits: { queuedBytesMax: 1024 * 1024 } });
    const stream = rawCall(await raw(), paths.tell);
    const closed = rawReply(stream);
    stream.pause();
    stream.end(framed('go'));
    expect((await simulator.committed(isAbort)).input).toMatchObject({
      call: 1,
      code: 8,
      message: expect.stringContaining('queuedBytesMax'),
    });
    await closed;
    expect(stream.rstCode).toBe(11);
    expect(await callOnce(client(), paths.say, [text('next')])).toMatchObject({ messages: ['next'] });
  });

  it('gives up a client that does not take its answer within messageSendMs', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' && input.method === paths.tell
        ? [message(call, block), message(call, block), ended(call)]
        : undefined,
    );
    const { raw, client } = await serve(simulator, { limits: { messageSendMs: 300 } });
    const stream = rawCall(await raw(), paths.tell);
    const closed = rawReply(stream);
    stream.pause();
    stream.end(framed('go'));
    await closed;
    expect(stream.rstCode).toBe(8);
    expect(await callOnce(client(), paths.say, [text('next')])).toMatchObject({ messages: ['next'] });
  });

  it('ends a call whose reply is over messageSendBytesMax', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator, { limits: { messageSendBytesMax: 3 } });
    expect((await callOnce(client(), paths.say, [text('four')])).status).toMatchObject({
      code: 8,
      details: expect.stringContaining('messageSendBytesMax'),
    });
    expect(await callOnce(client(), paths.say, [text('two')])).toMatchObject({ messages: ['two'] });
  });
});

describe('packed replies', () => {
  const long = 'long '.repeat(1000);

  it('go to clients that accept gzip, when asked for; short messages stay as they are', async () => {
    const { raw, client } = await serve(makeEchoSimulator(), { packReplies: true });
    const stream = rawCall(await raw(), paths.say, { 'grpc-accept-encoding': 'identity, gzip' });
    const reply = rawReply(stream);
    stream.end(framed(long));
    const { body, headers } = await reply;
    expect(headers['grpc-encoding']).toBe('gzip');
    expect(body[0]).toBe(1);
    expect(gunzipSync(body.subarray(5)).toString()).toBe(long);
    expect(await callOnce(client(), paths.chat, [text(long), text('short')])).toMatchObject({
      messages: [long, 'short'],
    });
  });

  it('go to nobody else', async () => {
    for (const [packReplies, accepts] of [
      [true, 'identity'],
      [false, 'gzip'],
    ] as const) {
      const { raw } = await serve(makeEchoSimulator(), { packReplies });
      const stream = rawCall(await raw(), paths.say, { 'grpc-accept-encoding': accepts });
      const reply = rawReply(stream);
      stream.end(framed(long));
      expect((await reply).body.equals(framed(long))).toBe(true);
    }
  });
});

describe('a binary header', () => {
  it('that a proxy has joined is several values again', async () => {
    const simulator = makeEchoSimulator();
    const { raw } = await serve(simulator);
    const stream = rawCall(await raw(), paths.say, { 'x-bin': 'AQ==, Ag' });
    const reply = rawReply(stream);
    stream.end(framed('a'));
    await reply;
    const input = simulator.log[0]?.input;
    expect(input?.kind === 'CallOpened' && input.headers.filter(([name]) => name === 'x-bin')).toEqual([
      ['x-bin', 'AQ=='],
      ['x-bin', 'Ag'],
    ]);
  });

  it('arrives in one piece from a gRPC client', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    const given = metadata([['x-bin', Buffer.from([251, 255])]]);
    await callOnce(client(), paths.say, [text('a')], { metadata: given });
    const input = simulator.log[0]?.input;
    expect(input?.kind === 'CallOpened' && input.headers).toContainEqual(['x-bin', '+/8=']);
  });
});
