import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callOnce, framed, text } from './clients.ts';
import { makeEchoSimulator, paths } from './echo-service.ts';
import { serve, type Running } from './running-server.ts';

// HTTP/2 by hand: what no library lets a client send.

const kinds = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, continuation: 9 } as const;
const endHeaders = 4;

function frame(
  kind: keyof typeof kinds,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = kinds[kind];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function kindsOf(frames: Buffer): readonly (number | undefined)[] {
  const found: (number | undefined)[] = [];
  for (let at = 0; at + 9 <= frames.length; at += 9 + frames.readUIntBE(at, 3)) found.push(frames[at + 3]);
  return found;
}

/** A literal header field without indexing (RFC 7541, 6.2.2); names and values of less than 127 bytes. */
function field(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.of(0, name.length),
    Buffer.from(name),
    Buffer.of(value.length),
    Buffer.from(value),
  ]);
}

const requestHeaders = Buffer.concat([
  field(':method', 'POST'),
  field(':scheme', 'http'),
  field(':path', paths.chat),
  field(':authority', 'x'),
  field('content-type', 'application/grpc'),
]);

async function attacker({ server }: Running): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame('settings', 0, 0));
  return socket;
}

/** What an ordinary client on another connection gets. */
async function othersGet({ client }: Running): Promise<readonly string[]> {
  return (await callOnce(client(), paths.say, [text('still there')])).messages;
}

function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('close', () => resolve());
  });
}

function repeated(count: number, one: Buffer | ((index: number) => Buffer)): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => (Buffer.isBuffer(one) ? one : one(index))),
  );
}

describe('a flood of frames', () => {
  it.each([
    ['pings', frame('ping', 0, 0, Buffer.alloc(8))],
    ['settings', frame('settings', 0, 0)],
  ])('of %s, whose answers nobody reads, ends its connection and no other', async (_, one) => {
    const running = await serve(makeEchoSimulator());
    const socket = await attacker(running);
    const closed = closing(socket);
    socket.pause();
    const flood = setInterval(() => socket.write(repeated(20_000, one)), 1);
    expect(await othersGet(running)).toEqual(['still there']);
    // What is buffered is read away at last, so that the end can be seen.
    socket.resume();
    await closed;
    clearInterval(flood);
    expect(await othersGet(running)).toEqual(['still there']);
  });

  it('of continuations without an end closes its connection, and no call is opened', async () => {
    const simulator = makeEchoSimulator();
    const running = await serve(simulator);
    const socket = await attacker(running);
    const closed = closing(socket);
    socket.resume();
    socket.write(frame('headers', 0, 1, requestHeaders));
    const one = frame('continuation', 0, 1, field('x-more', 'y'.repeat(100)));
    socket.write(repeated(20_000, one));
    await closed;
    expect(simulator.log).toEqual([]);
    expect(await othersGet(running)).toEqual(['still there']);
  });

  it('of resets, each of a call just opened, closes its connection, and no call stays open', async () => {
    const simulator = makeEchoSimulator();
    const running = await serve(simulator);
    const socket = await attacker(running);
    const closed = closing(socket);
    socket.resume();
    const cancelled = Buffer.of(0, 0, 0, 8);
    const pair = (index: number): Buffer => {
      const stream = 2 * index + 1;
      return Buffer.concat([
        frame('headers', endHeaders, stream, requestHeaders),
        frame('reset', 0, stream, cancelled),
      ]);
    };
    socket.write(repeated(10_000, pair));
    await closed;
    expect(await othersGet(running)).toEqual(['still there']);
    await simulator.committed(() => simulator.world().rpc.calls.size === 0);
    expect(simulator.world().rpc.calls.size).toBe(0);
  });

  it('of empty data frames on a call leaves the others served', async () => {
    const running = await serve(makeEchoSimulator());
    const socket = await attacker(running);
    socket.resume();
    socket.write(frame('headers', endHeaders, 1, requestHeaders));
    socket.write(repeated(20_000, frame('data', 0, 1)));
    socket.write(frame('data', 0, 1, framed('a')));
    expect(await othersGet(running)).toEqual(['still there']);
  });

  it('of bytes that are no frames closes its connection', async () => {
    const running = await serve(makeEchoSimulator());
    const socket = await attacker(running);
    const closed = closing(socket);
    socket.resume();
    socket.write(Buffer.alloc(100_000, 0xff));
    await closed;
    expect(await othersGet(running)).toEqual(['still there']);
  });
});

describe('a connection', () => {
  it('that answers no ping is closed, though it has a call', async () => {
    const simulator = makeEchoSimulator();
    const running = await serve(simulator, { limits: { keepaliveMs: 200, keepaliveTimeoutMs: 200 } });
    const socket = await attacker(running);
    const closed = closing(socket);
    socket.resume();
    socket.write(frame('headers', endHeaders, 1, requestHeaders));
    await closed;
    const { input } = await simulator.committed(({ input }) => input.kind === 'CallCancelled');
    expect(input).toMatchObject({ call: 1, reason: 'client' });
    expect(await othersGet(running)).toEqual(['still there']);
  });

  it('with a call is not idle, however long the call says nothing', async () => {
    const simulator = makeEchoSimulator();
    const running = await serve(simulator, { limits: { connectionIdleMs: 400 } });
    const busy = await attacker(running);
    const received: Buffer[] = [];
    busy.on('data', (chunk: Buffer) => received.push(chunk));
    busy.write(frame('headers', endHeaders, 1, requestHeaders));
    await simulator.committed(({ input }) => input.kind === 'CallOpened');
    // Its time began later, so the other's would be over before.
    const idle = connect(running.server.port, '127.0.0.1');
    idle.resume();
    await closing(idle);
    expect(kindsOf(Buffer.concat(received))).not.toContain(kinds.goAway);
    expect(busy.destroyed).toBe(false);
    busy.write(frame('data', 0, 1, framed('a')));
    await simulator.committed(({ input }) => input.kind === 'MessageReceived');
  });
});
