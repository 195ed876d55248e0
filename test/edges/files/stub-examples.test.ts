import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseDurationMs } from '../../../src/core/kernel/duration.ts';
import { durationMsMax } from '../../../src/core/kernel/duration.ts';
import { patternBytesMax } from '../../../src/core/services/rpc/matching/pattern.ts';
import { violationsMax } from '../../../src/core/services/rpc/stub-problems.ts';
import { stubDepthMax } from '../../../src/core/services/rpc/stub-rules.ts';
import { stubsPerPayloadMax, validateStubs } from '../../../src/core/services/rpc/stub-validation.ts';
import { loadStubFiles, stubFileBytesMax, stubFileProblemsMax } from '../../../src/edges/files/stub-files.ts';
import { readStubJson } from '../../../src/edges/files/stub-json.ts';
import { stubFilesMax } from '../../../src/edges/files/stub-paths.ts';
import { yamlUnfoldedMax } from '../../../src/edges/files/stub-yaml-nodes.ts';
import { readStubYaml } from '../../../src/edges/files/stub-yaml.ts';

const root = new URL('../../../', import.meta.url).pathname;
const page = readFileSync(`${root}docs/stubs.md`, 'utf8');

const examples = [...page.matchAll(/^```(yaml|json)( gripmock)?\n(.*?)^```$/gms)].map(
  ([, language, compat, text = '']) => ({
    language,
    compat: compat === undefined ? [] : (['gripmock'] as const),
    text,
    line: page.slice(0, page.indexOf(text)).split('\n').length,
  }),
);

test('the reference has examples', () => {
  expect(examples.length).toBeGreaterThan(8);
});

describe('each example of the reference is valid, without a warning', () => {
  test.each(examples)('docs/stubs.md:$line', ({ language, compat, text }) => {
    const read = language === 'json' ? readStubJson(text) : readStubYaml(text);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const { $schema: _, ...one } = read.payload as Record<string, unknown>;
    expect(validateStubs(Array.isArray(read.payload) ? read.payload : one, { compat })).toMatchObject({
      ok: true,
      warnings: [],
    });
  });
});

test('the first two examples are the same stub', () => {
  const [yaml, json] = examples.map(({ text }) => text);
  const fromYaml = readStubYaml(yaml ?? '');
  const fromJson = readStubJson(json ?? '');
  if (!fromYaml.ok || !fromJson.ok) throw new Error('not read');
  const { $schema: _, ...stub } = fromJson.payload as Record<string, unknown>;
  expect(fromYaml.payload).toEqual(stub);
});

test('the limits of the reference are those of the code', () => {
  const limits = Object.fromEntries(
    [...page.matchAll(/^\| ([^|]+) \| ([\d,]+(?: \w+)?)(?: of one file, (\d+) of one load)? \|$/gm)].map(
      ([, name, value, more]) => [name, more === undefined ? value : `${value} ${more}`],
    ),
  );
  const mebibytes = (bytes: number): string => `${bytes / (1024 * 1024)} MiB`;
  expect(limits).toEqual({
    'a JSON file': mebibytes(stubFileBytesMax.json),
    'a YAML file': mebibytes(stubFileBytesMax.yaml),
    'a YAML file with its aliases unfolded': mebibytes(yamlUnfoldedMax),
    'stubs in one file, or in one request': stubsPerPayloadMax.toLocaleString('en'),
    'stub files in one load': stubFilesMax.toLocaleString('en'),
    'nesting in a stub': `${stubDepthMax} levels`,
    'a regular expression or a glob': `${patternBytesMax / 1024} KiB`,
    'a delay': `${durationMsMax / parseDurationMs('8760h')} years`,
    'problems listed': `${violationsMax} ${stubFileProblemsMax}`,
  });
});

test('every property of the schema is on the page', () => {
  const schema = JSON.parse(readFileSync(`${root}schemas/stub.schema.json`, 'utf8')) as {
    readonly $defs: Readonly<Record<string, { readonly properties?: object }>>;
  };
  for (const definition of Object.values(schema.$defs)) {
    for (const name of Object.keys(definition.properties ?? {}))
      expect(page).toMatch(new RegExp(`[\`\\s]${name}[\`:]`));
  }
});

test('the demo loads, without a warning', () => {
  const loaded = loadStubFiles([`${root}demo/stubs`], { compat: [] });
  expect(loaded.ok && loaded.files.flatMap(({ warnings }) => warnings)).toEqual([]);
});

test('files in the public format load unchanged', () => {
  const plain = loadStubFiles([`${root}test/fixtures/stubs/public`], { compat: [] });
  expect(plain.ok && plain.files.length).toBe(12);
  expect(loadStubFiles([`${root}test/fixtures/stubs`], { compat: ['gripmock'] })).toMatchObject({ ok: true });
});

test('what later versions of the public format add is refused without its compatibility', () => {
  const later = loadStubFiles([`${root}test/fixtures/stubs/gripmock`], { compat: [] });
  expect(later).toMatchObject({ ok: false, problems: [{ line: 5, pointer: '/0/output/trailers' }] });
});
