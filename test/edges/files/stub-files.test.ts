import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadStubFiles, stubFileBytesMax, stubFileProblemsMax } from '../../../src/edges/files/stub-files.ts';

const least = { service: 'shop.v1.Orders', method: 'GetOrder', output: { data: {} } };
const leastYaml = 'service: a.B\nmethod: C\noutput: { data: {} }\n';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stub-files-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function put(file: string, content: string | Uint8Array | object): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  const isText = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, isText ? content : JSON.stringify(content));
  return path;
}

/** `file:line pointer message`, with files as they stand below the folder. */
function problemsOf(...paths: readonly string[]): readonly string[] {
  const loaded = loadStubFiles(paths.length === 0 ? [folder] : paths, { compat: [] });
  if (loaded.ok) return [];
  return loaded.problems.map(({ file = '', line, pointer, message }) => {
    return `${file.replace(`${folder}/`, '')}${line === undefined ? '' : `:${line}`} ${pointer} ${message}`;
  });
}

function filesOf(...paths: readonly string[]) {
  const loaded = loadStubFiles(paths.length === 0 ? [folder] : paths, { compat: [] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.files.map((file) => ({ ...file, file: file.file.replace(`${folder}/`, '') }));
}

describe('a stub', () => {
  test('is the same stub written as JSON and as YAML', () => {
    // JSON writes -0 as 0.
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const stub = fc.record({
      service: fc.string({ minLength: 1 }),
      method: fc.string({ minLength: 1 }),
      output: fc.record({ data: json.filter(hasNoTemplate) }),
      input: fc.record({ equals: fc.dictionary(fc.string(), json) }),
    });
    fc.assert(
      fc.property(fc.array(stub, { minLength: 1, maxLength: 3 }), (stubs) => {
        const asJson = put('a.json', JSON.stringify(stubs, null, 2));
        const asYaml = put('a.yaml', stringify(stubs, { defaultKeyType: 'QUOTE_DOUBLE' }));
        const [fromJson, fromYaml] = filesOf(asJson, asYaml);
        expect(fromYaml?.definitions).toEqual(fromJson?.definitions);
        expect(JSON.stringify(fromYaml?.definitions)).toBe(JSON.stringify(fromJson?.definitions));
      }),
    );
  });

  test.each(['9007199254740993', '-9223372036854775808', '18446744073709551615', '1152921504606846976'])(
    'keeps the integer %s exactly, in JSON and in YAML',
    (integer) => {
      put('a.json', `{"service":"a","method":"b","output":{"data":{"n":${integer}}}}`);
      put('b.yaml', `service: a\nmethod: b\noutput: {data: {n: ${integer}}}`);
      expect(filesOf().map(({ definitions }) => definitions[0]?.output.data)).toEqual([
        { n: integer },
        { n: integer },
      ]);
    },
  );

  test('keeps keys that name parts of a prototype', () => {
    put('a.json', '{"service":"a","method":"b","output":{"data":{"__proto__":{"x":1},"constructor":2}}}');
    put('b.yaml', 'service: a\nmethod: b\noutput: {data: {__proto__: {x: 1}, constructor: 2}}');
    for (const { definitions } of filesOf()) {
      expect(JSON.stringify(definitions[0]?.output.data)).toBe('{"__proto__":{"x":1},"constructor":2}');
    }
  });

  test('may stand alone, in a list, or in several documents; each has its line', () => {
    put('a.yaml', `# a comment\n\n${leastYaml}`);
    put(
      'b.yml',
      `---\n- service: a\n  method: b\n  output: {code: 5}\n# next\n-\n  service: a\n  method: c\n  output: {code: 5}\n`,
    );
    put('c.yaml', `${leastYaml}---\n${leastYaml}---\n- {service: a, method: b, output: {code: 1}}\n---\n`);
    put('d.json', `\n{"service":"a",\n"method":"b","output":{"code":1}}`);
    put('e.json', `[\n  ${JSON.stringify(least)},\n\n  ${JSON.stringify(least, null, 2)}\n]`);
    expect(filesOf().map(({ file, lines }) => [file, ...lines])).toEqual([
      ['a.yaml', 3],
      ['b.yml', 2, 7],
      ['c.yaml', 1, 5, 9],
      ['d.json', 2],
      ['e.json', 2, 4],
    ]);
  });

  test('may begin with a byte order mark, and name its schema', () => {
    put('a.json', `\uFEFF{"$schema":"stub.schema.json",${JSON.stringify(least).slice(1)}`);
    put('b.yaml', `\uFEFF# yaml-language-server: $schema=stub.schema.json\n${leastYaml}`);
    expect(filesOf().map(({ definitions }) => definitions.length)).toEqual([1, 1]);
    expect(filesOf()[0]?.definitions[0]).toEqual(least);
  });

  test('may use anchors and merge keys', () => {
    put(
      'a.yaml',
      '- &base {service: a, method: b, output: {code: 5}}\n- {<<: *base, method: c}\n- <<: [{priority: 1}, *base]\n',
    );
    const [file] = filesOf();
    expect(file?.definitions).toEqual([
      { service: 'a', method: 'b', output: { code: 5 } },
      { service: 'a', method: 'c', output: { code: 5 } },
      { service: 'a', method: 'b', output: { code: 5 }, priority: 1 },
    ]);
  });

  test('takes plain words of YAML 1.1 as texts', () => {
    put('a.yaml', 'service: a\nmethod: b\noutput: {data: [yes, off, 2001-01-01, 0x10, 012, ~]}\n');
    expect(filesOf()[0]?.definitions[0]?.output.data).toEqual(['yes', 'off', '2001-01-01', 16, 12, null]);
  });
});

function hasNoTemplate(value: unknown): boolean {
  return !JSON.stringify(value).includes('{{');
}

describe('the files of a folder', () => {
  test('are found at every depth, in the order of their paths', () => {
    for (const file of [
      'b.yaml',
      'a/c.yaml',
      'a-b.yaml',
      'B.yaml',
      'a/b/c.YML',
      'é.json',
      '.hidden.yaml',
      '.git/x.yaml',
      'note.md',
    ]) {
      put(file, file.endsWith('.json') ? least : leastYaml);
    }
    expect(filesOf().map(({ file }) => file)).toEqual([
      'B.yaml',
      'a-b.yaml',
      'a/b/c.YML',
      'a/c.yaml',
      'b.yaml',
      'é.json',
    ]);
  });

  test('come in the order of the given paths, each once', () => {
    const b = put('b.yaml', leastYaml);
    const a = put('sub/a.yaml', leastYaml);
    expect(filesOf(b, folder, a, `${folder}/sub/`).map(({ file }) => file)).toEqual(['b.yaml', 'sub/a.yaml']);
  });

  test('may be links within it, also in a ring', () => {
    put('real/a.yaml', leastYaml);
    symlinkSync('real', join(folder, 'link'));
    symlinkSync('..', join(folder, 'real', 'up'));
    symlinkSync('real/a.yaml', join(folder, 'z.yaml'));
    expect(filesOf().map(({ file }) => file)).toEqual(['link/a.yaml']);
  });

  test('may not be links that lead out of it', () => {
    put('outside/secret.yaml', leastYaml);
    put('stubs/a.yaml', leastYaml);
    symlinkSync('../outside', join(folder, 'stubs', 'b'));
    symlinkSync('/etc/hostname', join(folder, 'stubs', 'c.json'));
    symlinkSync('nowhere', join(folder, 'stubs', 'd.json'));
    expect(problemsOf(join(folder, 'stubs'))).toEqual([
      'stubs/b  is a link that leads out of the folder of stubs',
      'stubs/c.json  is a link that leads out of the folder of stubs',
      'stubs/d.json  there is no such file or folder',
    ]);
  });

  test('that is not there, or is of another kind, are problems', () => {
    expect(problemsOf(join(folder, 'none.yaml'), put('a.txt', 'x'), '/dev/null')).toEqual([
      'none.yaml  there is no such file or folder',
      'a.txt  expected a folder, or a file with the extension .json, .yaml or .yml',
      '/dev/null  expected a folder, or a file with the extension .json, .yaml or .yml',
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('must be readable', () => {
    chmodSync(put('a.yaml', leastYaml), 0);
    expect(problemsOf()).toEqual(['a.yaml  reading it is not permitted']);
  });
});

describe('problems', () => {
  test('of all files come at once, each with its file, line and pointer', () => {
    put('a.yaml', '- service: a\n  method: b\n  output:\n    code: 77\n  prioriy: 1\n- {}\n');
    put('b.json', '[\n{"service": "a",\n"method": "b",\n"output": {\n  "stream": [1],\n  "code": -1}}]');
    put('c.json', '{\n "a": 1,\n}');
    put('d.yml', leastYaml);
    expect(problemsOf()).toEqual([
      'a.yaml:4 /0/output/code stub "a/b": output.code must be from 0 to 16, got 77',
      'a.yaml:5 /0/prioriy stub "a/b": unknown property "prioriy", did you mean "priority"?',
      'a.yaml:6 /1 stub 2: service is missing',
      'a.yaml:6 /1 stub 2: method is missing',
      'a.yaml:6 /1 stub 2: output is missing',
      'b.json:6 /0/output/code stub "a/b": output.code must be from 0 to 16, got -1',
      'c.json:3  is not JSON: expected another key: a "," before "}" is too much, got "}" (column 1)',
    ]);
  });

  test('behind an alias have the line of the anchor', () => {
    put(
      'a.yaml',
      '- service: a\n  method: b\n  output: &out\n    code: 77\n- service: a\n  method: c\n  output: *out\n',
    );
    expect(problemsOf().map((problem) => problem.split(' ')[0])).toEqual(['a.yaml:4', 'a.yaml:4']);
  });

  test.each([
    ['a: 1\nb: [', 2, /is not YAML of stubs: Flow sequence/],
    ['a: 1\na: 2', 2, /the key "a" is there twice/],
    ['a: !ruby/object x', 1, /the tag !ruby\/object is not known/],
    ['a: !!binary aGk=', 1, /is not known/],
    ['a: 1\nb: *c', 2, /the alias \*c has no anchor &c before it/],
    ['&a [*a]', 1, /the alias \*a has no anchor &a before it/],
    ['a: {{ .Request.name }}', 1, /a template needs quotes/],
    ['? [a]\n: 1', 1, /a key must be a plain text/],
    ['<<: 1', 1, /the key "<<" must have a map/],
    ['a:\n\t- b', 2, /[Tt]abs/],
    ['', 1, /expected at least 1 stub/],
    ['# nothing\n', 1, /expected at least 1 stub/],
    ['hello', 1, /expected a stub or a list of stubs, got "hello"/],
    ['service: a\nmethod: b\noutput: {data: .inf}', 3, /must be a finite number, got Infinity/],
  ])('of the YAML %j are at line %i', (text, line, message) => {
    const [problem] = (put('a.yaml', text), problemsOf());
    expect(problem).toMatch(message);
    expect(problem).toMatch(`a.yaml:${line} `);
  });

  test('of bytes that are no UTF-8', () => {
    put('a.json', Uint8Array.of(0x7b, 0xff));
    put('b.yaml', Buffer.from('\uFEFFservice: a', 'utf16le'));
    expect(problemsOf()).toEqual(['a.json  is not UTF-8 text', 'b.yaml  is not UTF-8 text']);
  });

  test('beyond a thousand are counted', () => {
    for (let file = 0; file < 11; file += 1)
      put(
        `${file}.json`,
        Array.from({ length: 200 }, () => ({ ...least, code: 1 })),
      );
    const problems = problemsOf();
    expect(problems).toHaveLength(stubFileProblemsMax + 1);
    expect(problems.at(-1)).toBe('  and 111 more');
  });
});

describe('a hostile file', () => {
  test('of 100 MB is refused without being read', () => {
    // A sparse file; whoever reads it finds that it is not JSON.
    truncateSync(put('a.json', '['), 100_000_000);
    truncateSync(put('b.yaml', '['), stubFileBytesMax.yaml + 1);
    expect(problemsOf()).toEqual([
      'a.json  expected a stub file of at most 64 MiB, got 96 MiB: split it into several files',
      'b.yaml  expected a stub file of at most 16 MiB, got 17 MiB: split it into several files',
    ]);
  });

  test.each([
    ['a.json', '['.repeat(10_000), /nests deeper than 101 levels/],
    ['a.json', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /nests deeper than 101 levels/],
    ['a.yaml', '['.repeat(10_000) + ']'.repeat(10_000), /nests too deep/],
    ['a.yaml', `${'- '.repeat(10_000)}x`, /nests too deep/],
    ['a.yaml', `${'- '.repeat(150)}x`, /nests deeper than 101 levels/],
  ])('of 10,000 levels is one clear problem (%s, %.6s)', (file, text, message) => {
    put(file, text);
    expect(problemsOf()[0]).toMatch(message);
  });

  test('whose aliases unfold to thousands of millions is refused', () => {
    const level = (name: string, of: string): string => `${name}: &${name} [${Array(9).fill(of).join(', ')}]`;
    const names = Array.from('abcdefghij');
    put('a.yaml', names.map((name, at) => level(name, at === 0 ? 'lol' : `*${names[at - 1]}`)).join('\n'));
    expect(problemsOf()).toEqual([
      expect.stringMatching('a.yaml:8 .*the aliases unfold to more than a file of stubs may hold'),
    ]);
  });

  test('with a hundred uses of one anchor is not hostile', () => {
    put('a.yaml', `- &base {service: a, method: b, output: {code: 5}}\n${'- *base\n'.repeat(500)}`);
    expect(filesOf()[0]?.definitions).toHaveLength(501);
  });

  test('with twenty thousand keys in one map is read whole', () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join(', ');
    put('a.yaml', `service: a\nmethod: b\noutput: {data: {${keys}}}`);
    expect(Object.keys(filesOf()[0]?.definitions[0]?.output.data as object)).toHaveLength(20_000);
  });
});
