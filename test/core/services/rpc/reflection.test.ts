import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64 } from '../../../../src/core/kernel/bytes.ts';
import { decodeMessage, encodeJson, messageJson } from '../../../../src/core/services/rpc/codec.ts';
import { noDescriptors, withDescriptors } from '../../../../src/core/services/rpc/descriptors.ts';
import {
  answerReflection,
  reflectionBytesMax,
  type ReflectionVersion,
} from '../../../../src/core/services/rpc/reflection.ts';
import type { Json } from '../../../../src/core/kernel/json.ts';
import { descriptorsBelow, messageNamed } from './protos.ts';

const descriptors = descriptorsBelow(new URL('protos', import.meta.url));
const versions: readonly ReflectionVersion[] = ['v1', 'v1alpha'];

interface Shown {
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly string[] };
  readonly error_response?: { readonly error_code: number; readonly error_message: string };
  readonly original_request?: Json;
  readonly valid_host?: string;
}

function ask(request: Json, version: ReflectionVersion = 'v1', known = descriptors): Shown {
  const input = messageNamed(noDescriptors, `grpc.reflection.${version}.ServerReflectionRequest`);
  const output = messageNamed(noDescriptors, `grpc.reflection.${version}.ServerReflectionResponse`);
  const encoded = encodeJson(input, request, noDescriptors);
  if (!encoded.ok) throw new Error(encoded.problem);
  const answer = answerReflection(known, version, encoded.bytes);
  if (!answer.ok) throw new Error(answer.message);
  const decoded = decodeMessage(output, answer.bytes);
  if (!decoded.ok) throw new Error(decoded.problem);
  return messageJson(decoded.message, output, noDescriptors) as Shown;
}

function fileNames(response: Shown): string[] {
  const files = response.file_descriptor_response?.file_descriptor_proto ?? [];
  return files.map((text) => fromBinary(FileDescriptorProtoSchema, fromBase64(text)).name);
}

describe.each(versions)('reflection %s', (version) => {
  it('lists the loaded services and the built-in ones', () => {
    expect(ask({ list_services: '*' }, version)).toMatchObject({
      list_services_response: {
        service: [
          { name: 'grpc.health.v1.Health' },
          { name: 'grpc.reflection.v1.ServerReflection' },
          { name: 'grpc.reflection.v1alpha.ServerReflection' },
          { name: 'rich.Store' },
        ],
      },
    });
  });

  it('repeats the request', () => {
    const response = ask({ host: 'here', list_services: '' }, version);
    expect(response.valid_host).toBe('here');
    expect(response.original_request).toEqual({ host: 'here', list_services: '' });
  });

  it.each([
    'rich.Store',
    'rich.Store.Get',
    'rich.Rich',
    'rich.Rich.child',
    'rich.RED',
    'rich.Rich.CountsEntry',
  ])('answers %s with its file and all that it imports, itself first', (symbol) => {
    const names = fileNames(ask({ file_containing_symbol: symbol }, version));
    expect(names[0]).toBe('rich.proto');
    expect(names.toSorted()).toEqual([
      'google/protobuf/any.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/empty.proto',
      'google/protobuf/field_mask.proto',
      'google/protobuf/struct.proto',
      'google/protobuf/timestamp.proto',
      'google/protobuf/wrappers.proto',
      'legacy.proto',
      'rich.proto',
    ]);
  });

  it('answers a file name, a built-in one too', () => {
    expect(fileNames(ask({ file_by_filename: 'legacy.proto' }, version))).toEqual(['legacy.proto']);
    expect(fileNames(ask({ file_by_filename: 'google/rpc/status.proto' }, version))).toContain(
      'google/protobuf/any.proto',
    );
  });

  it('answers an extension, and the numbers of all extensions of a type', () => {
    const one = { containing_type: 'rich.Legacy', extension_number: 101 };
    expect(fileNames(ask({ file_containing_extension: one }, version))).toEqual(['legacy.proto']);
    expect(ask({ all_extension_numbers_of_type: 'rich.Legacy' }, version)).toMatchObject({
      all_extension_numbers_response: { base_type_name: 'rich.Legacy', extension_number: [100, 101] },
    });
    expect(ask({ all_extension_numbers_of_type: 'rich.Rich' }, version)).toMatchObject({
      all_extension_numbers_response: { extension_number: [] },
    });
  });

  it.each<[Json, number, string]>([
    [{ file_by_filename: 'gone.proto' }, 5, 'file gone.proto is not known'],
    [{ file_containing_symbol: 'rich.Gone' }, 5, 'symbol rich.Gone is not known'],
    [
      { file_containing_extension: { containing_type: 'rich.Legacy', extension_number: 5 } },
      5,
      'extension 5 of rich.Legacy is not known',
    ],
    [{ all_extension_numbers_of_type: 'rich.Gone' }, 5, 'type rich.Gone is not known'],
    [{}, 3, 'the request asks for nothing'],
  ])('answers %j with an error and goes on', (request, code, message) => {
    expect(ask(request, version).error_response).toEqual({ error_code: code, error_message: message });
  });

  it('never throws, whatever it is asked', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(answerReflection(descriptors, version, bytes).ok).toBeTypeOf('boolean');
      }),
    );
    expect(answerReflection(descriptors, version, Uint8Array.of(0x3a, 9))).toMatchObject({
      ok: false,
      code: 3,
    });
  });
});

describe('what reflection sends', () => {
  it('is what was loaded, to the byte', () => {
    const [first = ''] =
      ask({ file_by_filename: 'legacy.proto' }).file_descriptor_response?.file_descriptor_proto ?? [];
    expect(fromBase64(first)).toEqual(descriptors.files.get('legacy.proto'));
  });

  it('is enough to load it elsewhere', () => {
    const files =
      ask({ file_containing_symbol: 'rich.Store' }).file_descriptor_response?.file_descriptor_proto ?? [];
    const set = files.flatMap((text) => [0x0a, ...varint(fromBase64(text).length), ...fromBase64(text)]);
    expect(withDescriptors(noDescriptors, Uint8Array.from(set))).toMatchObject({
      ok: true,
      services: ['rich.Store'],
    });
  });

  it('stays under what clients take', () => {
    expect(reflectionBytesMax).toBeLessThan(4 * 1024 * 1024);
  });
});

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
