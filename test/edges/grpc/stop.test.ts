import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startGrpcServer } from '../../../src/edges/grpc/grpc-server.ts';
import { callOnce, openCall, replyOf, text } from './clients.ts';
import { makeEchoSimulator, message, ended, paths } from './echo-service.ts';
import { serve } from './running-server.ts';

describe('stop', () => {
  it('lets a running call end within drainMs', async () => {
    const simulator = makeEchoSimulator();
    const { server, client } = await serve(simulator, { limits: { drainMs: 20_000 } });
    const call = openCall(client(), paths.chat);
    const reply = replyOf(call);
    call.write(text('a'));
    await once(call, 'data');
    const stopped = server.stop();
    call.write(text('b'));
    call.end();
    expect(await reply).toMatchObject({ messages: ['a', 'b'], status: { code: 0 } });
    await stopped;
    expect(simulator.log.map(({ input }) => input.kind)).not.toContain('CallCancelled');
  });

  it('cancels what still runs after drainMs: UNAVAILABLE for the client, an input for each call', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' ? [message(call, text('first'))] : undefined,
    );
    const { server, client } = await serve(simulator, { limits: { drainMs: 0 } });
    const channel = client();
    const calls = [paths.tell, paths.chat, paths.tell].map((path) => {
      const call = openCall(channel, path);
      const first = once(call, 'data');
      const reply = replyOf(call);
      call.write(text('go'));
      if (path === paths.tell) call.end();
      return { first, reply };
    });
    await Promise.all(calls.map(({ first }) => first));
    await server.stop();
    for (const { reply } of calls) expect((await reply).status.code).toBe(14);
    const cancelled = simulator.log.flatMap(({ input }) => (input.kind === 'CallCancelled' ? [input] : []));
    expect(cancelled.map(({ reason }) => reason)).toEqual(['shutdown', 'shutdown', 'shutdown']);
    expect(simulator.world().rpc.calls.size).toBe(0);
  });

  it('cancels a call whose request never became whole', async () => {
    const simulator = makeEchoSimulator();
    const { server, client } = await serve(simulator, { limits: { drainMs: 0 } });
    const call = openCall(client(), paths.say);
    const reply = replyOf(call);
    call.write(text('no half-close'));
    const other = client();
    await callOnce(other, paths.say, [text('a')]);
    await server.stop();
    expect((await reply).status.code).toBe(14);
  });

  it('closes idle connections, frees the port, and may be called again', async () => {
    const simulator = makeEchoSimulator();
    const { server, client } = await serve(simulator);
    await callOnce(client(), paths.say, [text('a')]);
    await Promise.all([server.stop(), server.stop()]);
    const again = await startGrpcServer({ simulator, host: '127.0.0.1', port: server.port });
    expect(again.port).toBe(server.port);
    await again.stop();
  });
});

describe('start', () => {
  it('rejects when the port is taken, and says which', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const started = startGrpcServer({ simulator: makeEchoSimulator(), host: '127.0.0.1', port });
    await expect(started).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
    holder.close();
  });

  it('listens on an IPv6 address, and gives an address that clients can dial', async () => {
    const simulator = makeEchoSimulator((input, call) =>
      input.kind === 'CallOpened' ? [ended(call)] : undefined,
    );
    const { server, client } = await serve(simulator, { host: '::1' });
    expect(server.address).toBe(`[::1]:${server.port}`);
    expect((await callOnce(client(), paths.say, [text('a')])).status.code).toBe(0);
  });
});
