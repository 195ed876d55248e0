import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileRegistry, createRegistry, fromBinary, toJson, type Registry } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type FileDescriptorProto,
  type FileDescriptorSet,
} from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noDescriptors, serviceNames, withDescriptors } from '../../../src/core/services/rpc/descriptors.ts';
import { loadProtoSources, type ProtoProblem } from '../../../src/edges/files/proto-sources.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const googleapis = join(root, 'node_modules/google-proto-files');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proto-sources-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A folder with these files; gives its path. */
function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, file)), { recursive: true });
    writeFileSync(join(folder, name, file), text);
  }
  return join(folder, name);
}

function load(paths: readonly string[], importPaths: readonly string[] = []): FileDescriptorSet {
  const result = loadProtoSources({ paths, importPaths });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return fromBinary(FileDescriptorSetSchema, result.set);
}

function names(paths: readonly string[], importPaths: readonly string[] = []): string[] {
  return load(paths, importPaths).file.map((file) => file.name);
}

function problems(paths: readonly string[], importPaths: readonly string[] = []): ProtoProblem[] {
  const result = loadProtoSources({ paths, importPaths });
  return result.ok
    ? []
    : result.problems.map((problem) => ({ ...problem, file: problem.file.replace(`${folder}/`, '') }));
}

const proto3 = 'syntax = "proto3";\n';

describe('descriptors', () => {
  it('are those of another compiler, for files with everything in them', () => {
    const tricky = fileURLToPath(new URL('protos/tricky', import.meta.url));
    cpSync(tricky, join(folder, 'tricky'), { recursive: true });
    const ours = load([join(folder, 'tricky')]);
    expect(ours.file).toHaveLength(6);
    expectSame(ours, builtByBuf('tricky'));
  });

  it('are those of another compiler, for a sample of googleapis', () => {
    const sample = [
      'api',
      'rpc',
      'type',
      'iam',
      'longrunning',
      'pubsub',
      'logging',
      'firestore',
      'spanner/v1',
    ];
    for (const one of sample) {
      cpSync(join(googleapis, 'google', one), join(folder, 'sample/google', one), { recursive: true });
    }
    const ours = load([join(folder, 'sample')]);
    expect(ours.file.length).toBeGreaterThan(100);
    expectSame(ours, builtByBuf('sample'));
  });

  it('come in an order in which none stands before its imports', () => {
    const seen = new Set<string>();
    const set = load([fileURLToPath(new URL('protos/tricky', import.meta.url))]);
    const all = new Set(set.file.map((file) => file.name));
    for (const file of set.file) {
      for (const name of file.dependency) expect(!all.has(name) || seen.has(name)).toBe(true);
      seen.add(file.name);
    }
  });

  it('of all of googleapis load, and thousands of services with them', { timeout: 240_000 }, () => {
    const result = loadProtoSources({ paths: [googleapis], importPaths: [] });
    if (!result.ok) throw new Error(JSON.stringify(result.problems.slice(0, 10)));
    expect(result.files.length).toBeGreaterThan(8000);
    const change = withDescriptors(noDescriptors, result.set);
    if (!change.ok) throw new Error(JSON.stringify(change.violations.slice(0, 10)));
    expect(serviceNames(change.descriptors).length).toBeGreaterThan(1900);
  });
});

describe('a file', () => {
  it('is named as it is seen from the folder that was given', () => {
    const path = folderOf('named', {
      'a/b/c.proto': `${proto3}message C {}`,
      'd.proto': `${proto3}import "a/b/c.proto";`,
    });
    expect(names([path])).toEqual(['a/b/c.proto', 'd.proto']);
  });

  it('is named as it is seen from the first import path that holds it', () => {
    const path = folderOf('paths', {
      'one/x/a.proto': `${proto3}message A {}`,
      'two/b.proto': `${proto3}import "x/a.proto"; message B { A a = 1; }`,
    });
    expect(names([join(path, 'two')], [join(path, 'one')])).toEqual(['x/a.proto', 'b.proto']);
    expect(names([join(path, 'two')], [path, join(path, 'one')])).toEqual(['one/x/a.proto', 'two/b.proto']);
  });

  it('alone is named by itself, and finds its imports further up', () => {
    const path = folderOf('alone', {
      'acme/v1/a.proto': `${proto3}package acme.v1; import "acme/v1/b.proto"; import "common/c.proto"; message A { B b = 1; common.C c = 2; }`,
      'acme/v1/b.proto': `${proto3}package acme.v1; message B {}`,
      'common/c.proto': `${proto3}package common; message C {}`,
    });
    const set = load([join(path, 'acme/v1/a.proto')]);
    expect(set.file.map((file) => file.name)).toContain('a.proto');
    expect(withDescriptors(noDescriptors, loadedSet([join(path, 'acme/v1/a.proto')])).ok).toBe(true);
  });

  it('that others brought along in a folder of its own is found by the end of its path', () => {
    const path = folderOf('vendored', {
      'third_party/acme/money.proto': `${proto3}package acme; message Money {}`,
      'shop.proto': `${proto3}import "acme/money.proto"; message Price { acme.Money money = 1; }`,
    });
    expect(load([path]).file.at(-1)?.dependency).toEqual(['third_party/acme/money.proto']);
  });

  it('of google/protobuf need not be given, and a copy of it does no harm', () => {
    const timestamp = readFileSync(join(googleapis, 'google/protobuf/timestamp.proto'), 'utf8');
    const path = folderOf('copies', {
      'third_party/google/protobuf/timestamp.proto': timestamp,
      'google/protobuf/test_messages.proto': 'this is not even proto',
      'a.proto': `${proto3}import "google/protobuf/timestamp.proto"; import "google/rpc/status.proto"; message A { google.protobuf.Timestamp at = 1; google.rpc.Status status = 2; }`,
    });
    expect(names([path])).toEqual(['a.proto']);
    expect(withDescriptors(noDescriptors, loadedSet([path])).ok).toBe(true);
  });

  it('is read once, however links lead to it', () => {
    const path = folderOf('links', {
      'a.proto': `${proto3}message A {}`,
      'deep/b.proto': `${proto3}message B {}`,
    });
    symlinkSync(path, join(path, 'deep/loop'));
    symlinkSync(join(path, 'a.proto'), join(path, 'again.proto'));
    symlinkSync(join(path, 'nowhere'), join(path, 'broken.proto'));
    expect(names([path])).toEqual(['a.proto', 'deep/b.proto']);
  });

  it('may begin with a byte order mark and have Windows line ends', () => {
    const path = folderOf('windows', {
      'a.proto': '\ufeffsyntax = "proto3";\r\n// c\r\nmessage A {\r\n  Gone b = 1;\r\n}\r\n',
    });
    expect(problems([path])).toEqual([
      { file: 'windows/a.proto', line: 4, message: 'the type Gone is not known' },
    ]);
  });

  it('in node_modules or a hidden folder is passed over', () => {
    const path = folderOf('passed', {
      'a.proto': proto3,
      'node_modules/b.proto': 'x',
      '.git/c.proto': 'x',
      'd.txt': 'x',
    });
    expect(names([path])).toEqual(['a.proto']);
  });
});

describe('a descriptor set', () => {
  it('is loaded beside sources, which may import its files', () => {
    const path = folderOf('set', {
      'lib.proto': `${proto3}package lib; message Lib {}`,
      'src/app.proto': `${proto3}import "lib.proto"; message App { lib.Lib lib = 1; }`,
    });
    const set = join(path, 'lib.binpb');
    writeFileSync(set, loadedSet([join(path, 'lib.proto')]));
    expect(names([set])).toEqual(['lib.proto']);
    rmSync(join(path, 'lib.proto'));
    expect(names([set, join(path, 'src')])).toEqual(['lib.proto', 'app.proto']);
  });

  it('that is none is a problem', () => {
    const path = folderOf('noset', { 'a.pb': 'text', 'b.desc': '' });
    expect(
      problems([join(path, 'a.pb'), join(path, 'b.desc')]).map(({ file, message }) => `${file} ${message}`),
    ).toEqual([
      expect.stringContaining('noset/a.pb is not a google.protobuf.FileDescriptorSet'),
      'noset/b.desc is not a google.protobuf.FileDescriptorSet: holds no files',
    ]);
  });
});

describe('problems', () => {
  it('are all listed at once, with file and line', () => {
    const path = folderOf('wrong', {
      'a.proto': `${proto3}\nimport "gone.proto";\nimport "b.proto";\nmessage A {\n  Missing m = 1;\n}\n`,
      'b.proto': `${proto3}message B {\n  string s = ;\n}\n`,
      'c.proto': `${proto3}message C {}\nmessage C {}\n`,
      'd.proto': `${proto3}message D { Gone g = 1; }\nmessage Other { .D.E e = 1; }\n`,
    });
    expect(problems([path])).toEqual([
      {
        file: 'wrong/a.proto',
        line: 3,
        message: `imports gone.proto, which is neither built in nor below ${path}`,
      },
      { file: 'wrong/b.proto', line: 3, message: 'expected the number of a field, got ";"' },
      {
        file: 'wrong/c.proto',
        line: 3,
        message: 'defines C, which line 2 defines already; both cannot be loaded together',
      },
      { file: 'wrong/d.proto', line: 2, message: 'the type Gone is not known' },
      { file: 'wrong/d.proto', line: 3, message: 'the type .D.E is not known' },
    ]);
  });

  it('say where a type is that is not imported', () => {
    const path = folderOf('hint', {
      'a.proto': `${proto3}package p;\nmessage A { p.B b = 1; }`,
      'b.proto': `${proto3}package p; message B {}`,
    });
    expect(problems([path])).toEqual([
      {
        file: 'hint/a.proto',
        line: 3,
        message: 'the type p.B is not known; b.proto defines it, but is not imported',
      },
    ]);
  });

  it('say which two files define the same', () => {
    const path = folderOf('twice', {
      'a.proto': `${proto3}message A {}`,
      'b.proto': `${proto3}enum E { X = 0; }\nmessage A {}`,
    });
    expect(problems([path])).toEqual([
      {
        file: 'twice/b.proto',
        line: 3,
        message: `defines A, which ${join(path, 'a.proto')} (line 2) defines already; both cannot be loaded together`,
      },
    ]);
  });

  it.each(['../up.proto', '/etc/passwd', 'a/../../b.proto', '..\\\\up.proto', ''])(
    'refuse the import %j',
    (name) => {
      folderOf('climb', { 'up.proto': proto3 });
      const path = folderOf('climb/in', { 'a.proto': `${proto3}import "${name}";` });
      expect(problems([path])).toMatchObject([
        { file: 'climb/in/a.proto', line: 2, message: expect.stringContaining('is not a relative path') },
      ]);
    },
  );

  it('name files that import one another', () => {
    const path = folderOf('circle', {
      'a.proto': `${proto3}import "b.proto";`,
      'b.proto': `${proto3}import "c.proto";`,
      'c.proto': `${proto3}import "a.proto";`,
    });
    expect(problems([path])).toEqual([
      { file: 'circle/a.proto', message: 'imports itself, by way of b.proto, c.proto, a.proto' },
    ]);
  });

  it('name two files of one name', () => {
    const path = folderOf('same', { 'one/a.proto': proto3, 'two/a.proto': proto3 });
    expect(problems([join(path, 'one'), join(path, 'two')])).toMatchObject([
      { file: 'same/two/a.proto', message: expect.stringContaining('has the same name as') },
    ]);
  });

  it('name paths that are not there, or nothing of ours', () => {
    const path = folderOf('paths2', { 'a.txt': '' });
    expect(
      problems([join(path, 'gone'), join(path, 'a.txt')], [join(path, 'no')]).map(({ message }) => message),
    ).toEqual([
      'there is no such file or folder',
      'there is no such file or folder',
      'is neither a .proto file nor a folder nor a descriptor set (.pb, .binpb, .protoset, .desc)',
    ]);
  });
});

// ── Comparing with another compiler ─────────────────────────────────────────────────────────────────────────

function loadedSet(paths: readonly string[]): Uint8Array {
  const result = loadProtoSources({ paths, importPaths: [] });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.set;
}

function builtByBuf(name: string): FileDescriptorSet {
  writeFileSync(join(folder, name, 'buf.yaml'), 'version: v2\n');
  const output = execFileSync(
    join(root, 'node_modules/.bin/buf'),
    [
      'build',
      join(folder, name),
      '--as-file-descriptor-set',
      '--exclude-source-info',
      '-o',
      '-#format=binpb',
    ],
    { maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return fromBinary(FileDescriptorSetSchema, output);
}

/** Every file of ours is the file that the other has; the other may have built-in files besides. */
function expectSame(ours: FileDescriptorSet, others: FileDescriptorSet): void {
  const registry = createRegistry(createFileRegistry(others));
  const byName = new Map(others.file.map((file) => [file.name, file]));
  for (const file of ours.file) {
    const other = byName.get(file.name);
    expect({ name: file.name, content: plain(file, registry) }).toEqual({
      name: other?.name,
      content: other && plain(other, registry),
    });
  }
}

// As JSON, custom options too, because the order of fields on the wire is free. A default is a number, however it is
// written, and empty options are none.
function plain(file: FileDescriptorProto, registry: Registry): unknown {
  const text = JSON.stringify(toJson(FileDescriptorProtoSchema, file, { registry }));
  return JSON.parse(text, (key, value: unknown) => {
    if (key === 'options' && JSON.stringify(value) === '{}') return undefined;
    const isNumber = key === 'defaultValue' && typeof value === 'string' && /^-?\d.*[.e]|^1\d+$/.test(value);
    return isNumber ? Math.fround(Number(value)) : value;
  });
}
