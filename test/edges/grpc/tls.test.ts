import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGrpcServer } from '../../../src/edges/grpc/grpc-server.ts';
import { callOnce, grpcClient, type Reply, text } from './clients.ts';
import { makeEchoSimulator, paths } from './echo-service.ts';
import { serve } from './running-server.ts';

// Made by make.sh there.
function pem(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
}

const tls = { cert: pem('server-cert'), key: pem('server-key') };
const authority = pem('ca-cert');
const mutual = { ...tls, ca: authority, requireClientCertificate: true };

function say(address: string, channel: ChannelCredentials): Promise<Reply> {
  const client = grpcClient(address, channel);
  onTestFinished(() => client.close());
  return callOnce(client, paths.say, [text('hello')]);
}

describe('TLS', () => {
  it('serves clients that trust the certificate', async () => {
    const { server } = await serve(makeEchoSimulator(), { tls });
    expect(await say(server.address, credentials.createSsl(authority))).toMatchObject({
      messages: ['hello'],
      status: { code: 0 },
    });
  });

  it('takes certificates as text too', async () => {
    const { server } = await serve(makeEchoSimulator(), {
      tls: { cert: tls.cert.toString(), key: tls.key.toString() },
    });
    expect((await say(server.address, credentials.createSsl(authority))).status.code).toBe(0);
  });

  it('has nothing for clients that do not trust it, or do not speak TLS', async () => {
    const simulator = makeEchoSimulator();
    const { server } = await serve(simulator, { tls });
    expect((await say(server.address, credentials.createSsl(pem('stranger-cert')))).status.code).toBe(14);
    expect((await say(server.address, credentials.createInsecure())).status.code).toBe(14);
    expect(simulator.log).toEqual([]);
  });

  it('closes a connection that leaves the handshake open', async () => {
    const { server } = await serve(makeEchoSimulator(), { tls, limits: { handshakeMs: 500 } });
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
    expect((await say(server.address, credentials.createSsl(authority))).status.code).toBe(0);
  });

  it('refuses to start with a key that is none, or not that of the certificate', async () => {
    const start = (key: Buffer) =>
      startGrpcServer({ simulator: makeEchoSimulator(), host: '127.0.0.1', port: 0, tls: { ...tls, key } });
    await expect(start(text('not a key'))).rejects.toThrow(/PEM|DECODER/);
    await expect(start(pem('client-key'))).rejects.toThrow(/key values mismatch/);
  });
});

describe('mutual TLS', () => {
  it('lets in whom the authority vouches for', async () => {
    const { server } = await serve(makeEchoSimulator(), { tls: mutual });
    const known = credentials.createSsl(authority, pem('client-key'), pem('client-cert'));
    expect(await say(server.address, known)).toMatchObject({ messages: ['hello'], status: { code: 0 } });
  });

  it('lets in nobody else', async () => {
    const simulator = makeEchoSimulator();
    const { server } = await serve(simulator, { tls: mutual });
    const stranger = credentials.createSsl(authority, pem('stranger-key'), pem('stranger-cert'));
    expect((await say(server.address, stranger)).status.code).toBe(14);
    expect((await say(server.address, credentials.createSsl(authority))).status.code).toBe(14);
    expect(simulator.log).toEqual([]);
  });
});
