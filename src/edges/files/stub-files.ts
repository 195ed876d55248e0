import { closeSync, openSync, readSync } from 'node:fs';
import { strictUtf8Text } from '../../core/kernel/bytes.ts';
import { isJsonObject } from '../../core/kernel/json.ts';
import type { Violation } from '../../core/services/rpc/events.ts';
import type { StubDefinition } from '../../core/services/rpc/stub.ts';
import { validateStubs, type StubValidationOptions } from '../../core/services/rpc/stub-validation.ts';
import { readStubJson } from './stub-json.ts';
import { fileProblem, findStubFiles, isYamlFile, type FoundStubFile } from './stub-paths.ts';
import type { StubText } from './stub-text.ts';
import { readStubYaml } from './stub-yaml.ts';

/** The longest stub file, in bytes, by how it is written: reading YAML takes ten times as long as reading JSON. */
export const stubFileBytesMax: Readonly<Record<'json' | 'yaml', number>> = {
  json: 64 * 1024 * 1024,
  yaml: 16 * 1024 * 1024,
};

/** How many problems are listed of one load; one line more says how many there are beyond. */
export const stubFileProblemsMax = 1000;

/** The stubs of one file. */
export interface StubFile {
  /** The given path; below a given folder, that folder and the path in it, with `/`. */
  readonly file: string;
  readonly definitions: readonly StubDefinition[];
  /** `lines[k]` is where definition `k` begins; counts from 1. */
  readonly lines: readonly number[];
  readonly warnings: readonly Violation[];
}

export type StubFilesLoaded =
  | { readonly ok: true; readonly files: readonly StubFile[] }
  | { readonly ok: false; readonly problems: readonly Violation[] };

/**
 * Reads stub files, and those below folders (see `findStubFiles` for which, and in which order). If anything is wrong, all
 * problems of all files come at once, each with its file and, within a file, its line.
 */
export function loadStubFiles(paths: readonly string[], options: StubValidationOptions): StubFilesLoaded {
  const found = findStubFiles(paths);
  const problems = [...found.problems];
  const files: StubFile[] = [];
  for (const candidate of found.files) {
    const loaded = loadStubFile(candidate, options);
    if (loaded.ok) files.push(loaded.file);
    else problems.push(...loaded.problems);
  }
  return problems.length === 0 ? { ok: true, files } : { ok: false, problems: atMost(problems) };
}

type Loaded =
  | { readonly ok: true; readonly file: StubFile }
  | { readonly ok: false; readonly problems: readonly Violation[] };

function loadStubFile(candidate: FoundStubFile, options: StubValidationOptions): Loaded {
  const { file } = candidate;
  const read = readText(candidate);
  if (!read.ok) return { ok: false, problems: [read.problem] };
  const text = isYamlFile(file) ? readStubYaml(read.text) : readStubJson(read.text);
  if (!text.ok) {
    return {
      ok: false,
      problems: text.problems.map(({ line, message }) => ({ file, line, pointer: '', message })),
    };
  }
  return validated(file, text, options);
}

function validated(
  file: string,
  text: StubText & { readonly ok: true },
  options: StubValidationOptions,
): Loaded {
  const result = validateStubs(withoutSchemaName(text.payload), options);
  const inFile = (found: Violation): Violation => ({ ...found, file, line: text.lineOf(found.pointer) });
  if (!result.ok) return { ok: false, problems: byLine(result.violations.map(inFile)) };
  const { definitions, warnings } = result;
  return { ok: true, file: { file, definitions, lines: text.lines, warnings: warnings.map(inFile) } };
}

function byLine(problems: readonly Violation[]): readonly Violation[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

// In a JSON file, `$schema` at the top tells editors by which schema to check it. It says nothing of the stub.
function withoutSchemaName(payload: unknown): unknown {
  if (!isJsonObject(payload) || typeof payload['$schema'] !== 'string') return payload;
  const { $schema: _, ...stub } = payload;
  return stub;
}

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: Violation };

function readText({ file, stats }: FoundStubFile): ReadText {
  const bytesMax = stubFileBytesMax[isYamlFile(file) ? 'yaml' : 'json'];
  const refuse = (message: string): ReadText => ({ ok: false, problem: { file, pointer: '', message } });
  if (stats.size > bytesMax) return refuse(tooLong(stats.size, bytesMax));
  try {
    const bytes = readAtMost(file, stats.size, bytesMax);
    if (bytes === undefined) return refuse(tooLong(bytesMax + 1, bytesMax));
    return { ok: true, text: withoutByteOrderMark(strictUtf8Text(bytes)) };
  } catch (error) {
    if (error instanceof TypeError) return refuse('is not UTF-8 text');
    return { ok: false, problem: fileProblem(file, error) };
  }
}

/** The whole file, though it may have grown since its size was asked; `undefined` when it is longer than `bytesMax`. */
function readAtMost(file: string, size: number, bytesMax: number): Uint8Array | undefined {
  const descriptor = openSync(file, 'r');
  try {
    let bytes = Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (;;) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      length += count;
      if (count === 0) return bytes.subarray(0, length);
      if (length > bytesMax) return undefined;
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
    }
  } finally {
    closeSync(descriptor);
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function tooLong(bytes: number, bytesMax: number): string {
  const size = (count: number): string => `${Math.ceil(count / (1024 * 1024))} MiB`;
  return `expected a stub file of at most ${size(bytesMax)}, got ${size(bytes)}: split it into several files`;
}

function atMost(problems: readonly Violation[]): readonly Violation[] {
  if (problems.length <= stubFileProblemsMax) return problems;
  const more = problems.length - stubFileProblemsMax;
  return [...problems.slice(0, stubFileProblemsMax), { pointer: '', message: `and ${more} more` }];
}
