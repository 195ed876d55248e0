import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { runAdmin } from './running-admin.ts';

const octets = { 'content-type': 'application/octet-stream' };

function pingSet(): Uint8Array {
  const file = create(FileDescriptorProtoSchema, {
    name: 'ping.proto',
    package: 'ping',
    syntax: 'proto3',
    messageType: [{ name: 'Empty' }],
    service: [
      { name: 'Pinger', method: [{ name: 'Ping', inputType: '.ping.Empty', outputType: '.ping.Empty' }] },
    ],
  });
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [file] }));
}

describe('services', () => {
  it('are listed with their methods, without the built-in ones', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('GET', '/api/services');
    expect(body).toMatchObject([{ id: 'talk.v1.Talk', package: 'talk.v1', name: 'Talk' }]);
    expect((await ask('GET', '/api/descriptors')).body).toEqual({ serviceIDs: ['talk.v1.Talk'] });
  });

  it('are shown one by one, with the kind of each method', async () => {
    const { ask } = await runAdmin();
    const { body } = await ask('GET', '/api/services/talk.v1.Talk');
    const kinds = (body as { methods: { id: string; methodType: string }[] }).methods.map((method) => [
      method.id,
      method.methodType,
    ]);
    expect(kinds).toEqual([
      ['Say', 'unary'],
      ['Gather', 'client_streaming'],
      ['Tell', 'server_streaming'],
      ['Chat', 'bidi_streaming'],
    ]);
    expect((await ask('GET', '/api/services/talk.v1.Talk/methods')).body).toEqual(
      (body as { methods: unknown }).methods,
    );
  });

  it.each(['Tell', 'talk.v1.Talk%2FTell'])('have the method %s', async (method) => {
    const { ask } = await runAdmin();
    expect((await ask('GET', `/api/services/talk.v1.Talk/methods/${method}`)).body).toMatchObject({
      id: 'Tell',
      requestType: 'talk.v1.Line',
      serverStreaming: true,
      clientStreaming: false,
    });
  });

  it.each([
    '/api/services/no.Such',
    '/api/services/no.Such/methods',
    '/api/services/talk.v1.Talk/methods/Sing',
  ])('that are not known are 404: %s', async (path) => {
    const { ask } = await runAdmin();
    expect((await ask('GET', path)).body).toMatchObject({ code: 'DT_NOT_FOUND' });
  });
});

describe('POST /api/descriptors', () => {
  it.each(['application/octet-stream', 'application/x-protobuf'])(
    'loads a descriptor set sent as %s',
    async (type) => {
      const { ask, simulator } = await runAdmin();
      const reply = await ask('POST', '/api/descriptors', {
        bytes: pingSet(),
        headers: { 'content-type': type },
      });
      expect(reply.body).toEqual({
        message: 'ok',
        time: '2026-01-01T00:00:00.000Z',
        serviceIDs: ['ping.Pinger'],
      });
      expect(reply.headers['x-doubletake-entry']).toBe(String(simulator.head().seq));
      expect((await ask('GET', '/api/services/ping.Pinger')).status).toBe(200);
    },
  );

  it('refuses what is no descriptor set, and says why', async () => {
    const { ask } = await runAdmin();
    const { status, body } = await ask('POST', '/api/descriptors', { bytes: 'nonsense', headers: octets });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'DT_DESCRIPTORS_INVALID', violations: [expect.anything()] });
    expect((await ask('POST', '/api/descriptors', {})).body).toMatchObject({
      code: 'DT_DESCRIPTORS_INVALID',
    });
  });

  it('hands the text of a .proto file to what compiles it', async () => {
    const seen: unknown[] = [];
    const { ask } = await runAdmin({
      compileProto(source, fileName, known) {
        seen.push(source, fileName, known.files.size);
        return pingSet();
      },
    });
    const asking = { bytes: 'syntax = "proto3";', headers: { 'content-type': 'text/x-protobuf' } };
    expect((await ask('POST', '/api/descriptors?fileName=a/ping.proto', asking)).status).toBe(200);
    expect(seen).toEqual(['syntax = "proto3";', 'a/ping.proto', 1]);
  });

  it('says what the compiler says', async () => {
    const { ask } = await runAdmin({
      compileProto() {
        throw new Error('upload.proto:1: expected a message');
      },
    });
    const asking = { bytes: 'nonsense', headers: { 'content-type': 'text/x-protobuf' } };
    expect((await ask('POST', '/api/descriptors', asking)).body).toMatchObject({
      code: 'DT_DESCRIPTORS_INVALID',
      violations: [{ message: 'upload.proto:1: expected a message' }],
    });
  });

  it('takes no .proto text where nothing compiles it', async () => {
    const { ask } = await runAdmin();
    const asking = { bytes: 'syntax = "proto3";', headers: { 'content-type': 'text/x-protobuf' } };
    expect((await ask('POST', '/api/descriptors', asking)).status).toBe(415);
  });
});
