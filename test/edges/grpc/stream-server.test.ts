import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Server } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { callOnce, text } from './clients.ts';
import { makeEchoSimulator, paths } from './echo-service.ts';
import { serve } from './running-server.ts';

// What stream-server.ts relies on inside grpc-js. When one of these fails after an update, read that file's comment,
// follow what has changed, and only then change the test.
describe('grpc-js', () => {
  const internals = Server.prototype as unknown as Record<string, unknown>;
  const path = join(dirname(createRequire(import.meta.url).resolve('@grpc/grpc-js')), 'server.js');
  const source = readFileSync(path, 'utf8');

  it('still has the private methods that are used', () => {
    expect(internals['_streamHandler']).toBeTypeOf('function');
    expect(internals['_streamHandler']).toHaveLength(3);
    expect(internals['onStreamOpened']).toBeTypeOf('function');
    expect(internals['onStreamOpened']).toHaveLength(1);
    expect(new Server()).toHaveProperty('commonServerOptions');
  });

  it('still gives every stream to _streamHandler, read from the object when a port is bound', () => {
    expect(source).toContain(': this._streamHandler;');
    expect(source).toContain("http2Server.on('stream', handler.bind(this, extraInterceptors));");
  });

  it('still counts a stream of a connection where it opens', () => {
    expect(source).toMatch(
      /_streamHandler\(extraInterceptors, stream, headers\) \{[^}]*\}\);[^}]*this\.onStreamOpened\(stream\);/,
    );
  });

  it('passes the headers as they stood on the wire', async () => {
    const simulator = makeEchoSimulator();
    const { client } = await serve(simulator);
    await callOnce(client(), paths.say, [text('a')]);
    const input = simulator.log[0]?.input;
    expect(input?.kind === 'CallOpened' && input.headers.map(([name]) => name)).toEqual(
      expect.arrayContaining([':authority', 'user-agent', 'content-type', 'te', 'grpc-accept-encoding']),
    );
  });
});
