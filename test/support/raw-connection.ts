import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection on which the test says every byte itself; destroyed when the test ends. */
export async function connectTo(url: URL): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** All that comes on a connection until the other side closes it. */
export async function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is a way of closing, too.
  socket.on('error', () => undefined);
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}
