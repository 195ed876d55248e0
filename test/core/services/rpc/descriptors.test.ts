import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf';
import {
  Edition,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  type FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeJson } from '../../../../src/core/services/rpc/codec.ts';
import {
  descriptorSet,
  fileOfSymbol,
  findMethod,
  methodPath,
  methodsFor,
  noDescriptors,
  serviceNames,
  services,
  withDescriptors,
  type Descriptors,
} from '../../../../src/core/services/rpc/descriptors.ts';
import { descriptorsBelow, loaded } from './protos.ts';

type FileInit = Exclude<MessageInitShape<typeof FileDescriptorProtoSchema>, FileDescriptorProto>;

function setOf(...file: FileInit[]): Uint8Array {
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }));
}

/** A file with a message, and a field of each type that it is given. */
function fileOf(
  name: string,
  message: string,
  imports: readonly string[] = [],
  types: readonly string[] = [],
): FileInit {
  const field = types.map((typeName, index) => ({
    name: `field_${index}`,
    number: index + 1,
    label: Label.OPTIONAL,
    type: Type.MESSAGE,
    typeName,
  }));
  return {
    name,
    package: 'p',
    syntax: 'proto3',
    dependency: [...imports],
    messageType: [{ name: message, field }],
  };
}

function violations(set: Uint8Array): string[] {
  const change = withDescriptors(noDescriptors, set);
  return change.ok ? [] : change.violations.map(({ file, message }) => `${file ?? ''}: ${message}`);
}

const a = fileOf('a.proto', 'A');
const b = fileOf('b.proto', 'B', ['a.proto'], ['.p.A']);
const c = fileOf('c.proto', 'C', ['b.proto'], ['.p.B']);
const richSet = descriptorSet(descriptorsBelow(new URL('protos', import.meta.url)));

describe('a descriptor set', () => {
  it('is loaded the same in any order of its files', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([a, b, c], { minLength: 3 }), (files) => {
        const descriptors = loaded(noDescriptors, setOf(...files));
        expect(descriptorSet(descriptors)).toEqual(setOf(a, b, c));
        expect(descriptors.registry.getMessage('p.C')?.fields[0]?.message?.fields[0]?.message?.typeName).toBe(
          'p.A',
        );
      }),
    );
  });

  it('is the same loaded at once or file by file', () => {
    const steps = [a, b, c].reduce((descriptors, file) => loaded(descriptors, setOf(file)), noDescriptors);
    const atOnce = loaded(noDescriptors, setOf(a, b, c));
    expect(descriptorSet(steps)).toEqual(descriptorSet(atOnce));
  });

  it('that brings nothing new leaves the descriptors the same object', () => {
    const descriptors = loaded(noDescriptors, richSet);
    expect(withDescriptors(descriptors, richSet)).toEqual({ ok: true, descriptors, files: [], services: [] });
    expect(loaded(descriptors, richSet)).toBe(descriptors);
    expect(loaded(noDescriptors, setOf())).toBe(noDescriptors);
  });

  it('says which files are new or changed, imports first, and which services they have', () => {
    const change = withDescriptors(noDescriptors, richSet);
    expect(change).toMatchObject({
      ok: true,
      files: ['legacy.proto', 'rich.proto'],
      services: ['rich.Store'],
    });
    const next = withDescriptors(loaded(noDescriptors, setOf(a, b)), setOf(a, c));
    expect(next).toMatchObject({ ok: true, files: ['c.proto'] });
  });

  it('replaces a file of the same name, and links anew what imports it', () => {
    const before = loaded(noDescriptors, setOf(a, b, c));
    const longer = { ...a, messageType: [{ name: 'A' }, { name: 'A2' }] };
    const after = loaded(before, setOf(longer));
    const seen = after.registry.getMessage('p.C')?.fields[0]?.message?.fields[0]?.message?.file.messages;
    expect(seen?.map((message) => message.name)).toEqual(['A', 'A2']);
    expect(before.registry.getMessage('p.A2')).toBeUndefined();
    expect(after.registry.getMessage('p.B')).not.toBe(before.registry.getMessage('p.B'));
  });

  it('leaves alone what a load does not touch', () => {
    const before = loaded(noDescriptors, setOf(a, b));
    const message = before.registry.getMessage('p.B');
    const after = loaded(before, setOf(c, fileOf('d.proto', 'D')));
    expect(after.registry.getMessage('p.B')).toBe(message);
    expect(before.registry.getMessage('p.D')).toBeUndefined();
  });

  it('comes back from what is kept of it', () => {
    const descriptors = loaded(loaded(noDescriptors, richSet), setOf(c, b, a));
    const again = loaded(noDescriptors, descriptorSet(descriptors));
    expect([...again.files.keys()].toSorted()).toEqual([...descriptors.files.keys()].toSorted());
    expect(descriptorSet(again)).toEqual(descriptorSet(descriptors));
  });
});

describe('a set that is refused', () => {
  it('names a missing import', () => {
    expect(violations(setOf(b))).toEqual(['b.proto: imports a.proto, which is not known']);
  });

  it('names a type that is nowhere, or not imported', () => {
    expect(violations(setOf(fileOf('x.proto', 'X', [], ['.p.Gone'])))).toEqual([
      'x.proto: p.X.field_0 refers to p.Gone, which is neither in the file nor in its imports',
    ]);
    expect(violations(setOf(a, fileOf('x.proto', 'X', [], ['.p.A'])))).toHaveLength(1);
  });

  it('sees types through public imports, and only through those', () => {
    const through = { ...fileOf('t.proto', 'T', ['a.proto']), publicDependency: [0] };
    const user = fileOf('u.proto', 'U', ['t.proto'], ['.p.A']);
    expect(violations(setOf(a, through, user))).toEqual([]);
    expect(violations(setOf(a, fileOf('t.proto', 'T', ['a.proto']), user))).toHaveLength(1);
    const descriptors = loaded(noDescriptors, setOf(a, through, user));
    expect(descriptors.registry.getMessage('p.U')?.fields[0]?.message?.typeName).toBe('p.A');
  });

  it('names two files that define the same', () => {
    expect(violations(setOf(a, fileOf('again.proto', 'A')))).toEqual([
      'again.proto: defines p.A, which a.proto defines already',
    ]);
    const change = withDescriptors(loaded(noDescriptors, setOf(a)), setOf(fileOf('again.proto', 'A')));
    expect(change.ok).toBe(false);
  });

  it('names files that import each other', () => {
    const x = fileOf('x.proto', 'X', ['y.proto']);
    const y = fileOf('y.proto', 'Y', ['x.proto']);
    expect(violations(setOf(x, y))).toHaveLength(1);
    expect(violations(setOf(x, y))[0]).toContain('imports');
    expect(violations(setOf(fileOf('z.proto', 'Z', ['z.proto'])))).toHaveLength(1);
  });

  it.each<[string, FileInit]>([
    ['a file name that climbs', { ...a, name: '../a.proto' }],
    ['a file name from the root', { ...a, name: '/etc/a.proto' }],
    ['a file without a name', { ...a, name: '' }],
    ['a package that is no name', { ...a, package: 'p..q' }],
    ['a message name with code in it', { ...a, messageType: [{ name: 'A;process.exit()' }] }],
    [
      'a field name with code in it',
      {
        ...a,
        messageType: [
          { name: 'A', field: [{ name: 'x"', number: 1, type: Type.INT32, label: Label.OPTIONAL }] },
        ],
      },
    ],
    [
      'two fields of one number',
      { ...a, messageType: [{ name: 'A', field: [field('x', 1), field('y', 1)] }] },
    ],
    ['two fields of one name', { ...a, messageType: [{ name: 'A', field: [field('x', 1), field('x', 2)] }] }],
    ['a field number of zero', { ...a, messageType: [{ name: 'A', field: [field('x', 0)] }] }],
    [
      'a oneof that is not there',
      { ...a, messageType: [{ name: 'A', field: [{ ...field('x', 1), oneofIndex: 3 }] }] },
    ],
    ['an enum without values', { ...a, enumType: [{ name: 'E' }] }],
    [
      'a map entry that is none',
      { ...a, messageType: [{ name: 'A', nestedType: [{ name: 'E', options: { mapEntry: true } }] }] },
    ],
    ['an unknown syntax', { ...a, syntax: 'proto9' }],
    ['an unknown edition', { ...a, syntax: 'editions', edition: Edition.EDITION_99999_TEST_ONLY }],
    ['a method without a type', { ...a, service: [{ name: 'S', method: [{ name: 'M' }] }] }],
  ])('has %s', (_, file) => {
    expect(violations(setOf(file)).length).toBeGreaterThan(0);
  });

  it('changes nothing', () => {
    const before = loaded(noDescriptors, setOf(a));
    expect(
      withDescriptors(before, setOf(fileOf('d.proto', 'D'), fileOf('e.proto', 'E', ['gone.proto']))).ok,
    ).toBe(false);
    expect(before.registry.getMessage('p.D')).toBeUndefined();
  });

  it('may be any bytes at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(withDescriptors(noDescriptors, bytes).ok).toBeTypeOf('boolean');
      }),
    );
  });

  it('is refused rather than broken: what is accepted can be used', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(richSet.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bytes = Uint8Array.from(richSet);
          for (const [at, byte] of changes) bytes[at] = byte;
          const change = withDescriptors(noDescriptors, bytes);
          expect(() => change.ok && useAll(change.descriptors)).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not overflow the stack: a chain of 5,000 imports, messages 2,000 deep', () => {
    const chain = Array.from({ length: 5000 }, (_, index) =>
      fileOf(
        `f${index}.proto`,
        `F${index}`,
        index === 0 ? [] : [`f${index - 1}.proto`],
        index === 0 ? [] : [`.p.F${index - 1}`],
      ),
    );
    const descriptors = loaded(noDescriptors, setOf(...chain.toReversed()));
    expect(descriptors.registry.getMessage('p.F4999')?.fields).toHaveLength(1);
    let deep: Uint8Array = Uint8Array.of();
    for (let level = 0; level < 2000; level += 1)
      deep = Uint8Array.from([0x1a, ...varint(deep.length), ...deep]);
    expect(withDescriptors(noDescriptors, Uint8Array.from([0x0a, ...varint(deep.length), ...deep])).ok).toBe(
      false,
    );
  });
});

describe('built-in files', () => {
  it.each([
    'google.protobuf.Timestamp',
    'google.protobuf.FileDescriptorSet',
    'google.rpc.Status',
    'google.rpc.BadRequest.FieldViolation',
    'google.type.Money',
    'grpc.health.v1.HealthCheckRequest',
    'grpc.reflection.v1.ServerReflectionRequest',
    'grpc.reflection.v1alpha.ServerReflectionRequest',
  ])('define %s', (name) => {
    expect(noDescriptors.registry.getMessage(name)?.typeName).toBe(name);
  });

  it('can be imported', () => {
    const file = fileOf('x.proto', 'X', ['google/rpc/status.proto'], ['.google.rpc.Status']);
    expect(violations(setOf(file))).toEqual([]);
  });

  it('are not counted as loaded', () => {
    expect(serviceNames(noDescriptors)).toEqual([]);
    expect(services(noDescriptors)).toEqual([]);
    expect(noDescriptors.files.size).toBe(0);
  });

  it('of google/protobuf stay as they are', () => {
    const fake = {
      name: 'google/protobuf/timestamp.proto',
      package: 'google.protobuf',
      messageType: [{ name: 'Timestamp' }],
    };
    expect(loaded(noDescriptors, setOf(fake))).toBe(noDescriptors);
    expect(violations(setOf({ ...fake, name: 'elsewhere.proto' }))).toHaveLength(1);
  });

  it('make room for a copy that somebody loads under another name', () => {
    const copy = { name: 'vendor/status.proto', package: 'google.rpc', messageType: [{ name: 'Status' }] };
    const descriptors = loaded(noDescriptors, setOf(copy));
    expect(fileOfSymbol(descriptors, 'google.rpc.Status')?.name).toBe('vendor/status.proto');
    const importer = fileOf('x.proto', 'X', ['google/rpc/status.proto'], ['.google.rpc.Status']);
    expect(violations(setOf(copy, importer))).not.toEqual([]);
  });
});

describe('a method', () => {
  const descriptors = loaded(loaded(noDescriptors, richSet), setOf(storeFile('other.proto', 'other')));

  it('is found by its path', () => {
    const method = findMethod(descriptors, '/rich.Store/Watch');
    expect(method?.methodKind).toBe('server_streaming');
    expect(method && methodPath(method)).toBe('/rich.Store/Watch');
    expect(findMethod(descriptors, '/rich.Store/Watch')).toBe(method);
    expect(findMethod(noDescriptors, '/grpc.health.v1.Health/Check')?.methodKind).toBe('unary');
  });

  it.each([
    '',
    '/',
    '//',
    'rich.Store/Get',
    '/rich.Store/get',
    '/rich.Store/',
    '/rich.Store',
    '/Store/Get',
    '/rich.Rich/Get',
    '/rich.Store/Get/',
    '/__proto__/constructor',
  ])('is not found by %j', (path) => {
    expect(findMethod(descriptors, path)).toBeUndefined();
  });

  it('is meant by the full name of its service, or by the name without the package', () => {
    const paths = (service: string, method: string): string[] =>
      methodsFor(descriptors, service, method).map(methodPath);
    expect(paths('rich.Store', 'Get')).toEqual(['/rich.Store/Get']);
    expect(paths('Store', 'Get')).toEqual(['/other.Store/Get', '/rich.Store/Get']);
    expect(paths('Store', 'Watch')).toEqual(['/rich.Store/Watch']);
    expect(paths('store', 'Get')).toEqual([]);
    expect(paths('rich', 'Get')).toEqual([]);
  });
});

describe('a symbol', () => {
  const descriptors = loaded(noDescriptors, richSet);

  it.each([
    ['rich.Rich', 'rich.proto'],
    ['rich.Rich.child', 'rich.proto'],
    ['rich.Rich.choice', 'rich.proto'],
    ['rich.Rich.CountsEntry', 'rich.proto'],
    ['rich.Color', 'rich.proto'],
    ['rich.RED', 'rich.proto'],
    ['rich.Store', 'rich.proto'],
    ['rich.Store.Get', 'rich.proto'],
    ['rich.Legacy.Part.label', 'legacy.proto'],
    ['rich.note', 'legacy.proto'],
    ['google.protobuf.Struct', 'google/protobuf/struct.proto'],
  ])('%s is defined in %s', (symbol, file) => {
    expect(fileOfSymbol(descriptors, symbol)?.name).toBe(file);
  });

  it.each(['', 'rich', 'rich.Color.RED', 'rich.Rich.gone', '.rich.Rich', 'Rich'])(
    '%j is defined nowhere',
    (symbol) => {
      expect(fileOfSymbol(descriptors, symbol)).toBeUndefined();
    },
  );
});

function useAll(descriptors: Descriptors): void {
  for (const type of descriptors.registry) {
    if (type.kind !== 'message') continue;
    decodeMessage(type, Uint8Array.of(1, 2, 3));
    encodeJson(type, {}, descriptors);
  }
}

function field(name: string, number: number): { name: string; number: number; type: Type; label: Label } {
  return { name, number, type: Type.INT32, label: Label.OPTIONAL };
}

function storeFile(name: string, packageName: string): FileInit {
  const method = [{ name: 'Get', inputType: `.${packageName}.M`, outputType: `.${packageName}.M` }];
  return { name, package: packageName, messageType: [{ name: 'M' }], service: [{ name: 'Store', method }] };
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
