import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import type { EventLog, LogFailureCode } from '../../../src/core/simulator/ports.ts';
import { openJsonLinesLog } from '../../../src/edges/json-lines/open-json-lines-log.ts';
import { writeJsonLines } from '../../../src/edges/json-lines/write-json-lines.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { plainEntries, plainEntry, someEntries } from '../arbitrary-entries.ts';
import { append, itReadsAsALogDoes, manifest } from '../event-log-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'doubletake-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function fileWith(entries: readonly LogEntry[]): Promise<string> {
  files += 1;
  const file = join(folder, `${files}.jsonl`);
  const log = openSqliteLog({ manifest });
  await append(log, entries);
  await writeLog(log, file);
  await log.close();
  return file;
}

async function writeLog(log: EventLog, file: string): Promise<void> {
  const stream = createWriteStream(file);
  await writeJsonLines(log, stream);
  stream.end();
  await finished(stream);
}

function textFile(text: string): string {
  files += 1;
  const file = join(folder, `${files}.jsonl`);
  writeFileSync(file, text);
  return file;
}

async function linesWith(entries: readonly LogEntry[]): Promise<string[]> {
  return readFileSync(await fileWith(entries), 'utf8').split('\n');
}

function failureOf(file: string): { readonly code: LogFailureCode; readonly message: string } {
  try {
    openJsonLinesLog(file);
  } catch (failure) {
    return failure as { readonly code: LogFailureCode; readonly message: string };
  }
  throw new Error(`${file} opened`);
}

describe('a take as JSON lines', () => {
  itReadsAsALogDoes(async (entries) => openJsonLinesLog(await fileWith(entries)));

  it('is the same text when it is written again from what was read', async () => {
    await fc.assert(
      fc.asyncProperty(someEntries, async (entries) => {
        const file = await fileWith(entries);
        const again = `${file}.again`;
        await writeLog(openJsonLinesLog(file), again);
        expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'));
      }),
      { numRuns: 20 },
    );
  });

  it('has a line for the manifest and one for each entry, with payloads as base64', async () => {
    const lines = await linesWith([plainEntry(1, new Uint8Array(5_000).fill(65))]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ doubletake: 1, seed: 'seven', head: { seq: 1 } });
    const entry = JSON.parse(lines[1] ?? '') as { input: { bytes: string }; outcomes: { bytes: string }[] };
    expect(entry.input.bytes).toBe('AQID');
    expect(entry.outcomes[0]?.bytes).toBe(Buffer.alloc(5_000, 65).toString('base64'));
    expect(Object.keys(entry)).toEqual(['seq', 'at', 'input', 'outcomes', 'hash']);
    expect(lines.slice(2)).toEqual(['']);
  });

  it('takes no writes', async () => {
    const log = openJsonLinesLog(await fileWith(plainEntries(1, 2)));
    const refusal = expect.objectContaining({ code: 'DT_LOG_READ_ONLY' });
    expect(() => log.stage(plainEntry(3))).toThrow(refusal);
    expect(() => log.flush()).toThrow(refusal);
    expect(log.loadSnapshot(2, 'r')).toBeUndefined();
  });

  it('opens with the line ends that git may give it, and without the last', async () => {
    const lines = await linesWith(plainEntries(1, 3));
    expect(openJsonLinesLog(textFile(lines.join('\r\n'))).head.seq).toBe(3);
    expect(openJsonLinesLog(textFile(lines.join('\n').trimEnd())).head.seq).toBe(3);
  });
});

describe('JSON lines that are not what was written', () => {
  it('are refused, whichever character of an entry is another', async () => {
    const lines = await linesWith(plainEntries(1, 3));
    const entry = lines[2] ?? '';
    fc.assert(
      fc.property(fc.nat(entry.length - 1), fc.integer({ min: 0x21, max: 0x7e }), (at, code) => {
        const sign = String.fromCharCode(code);
        fc.pre(entry[at] !== sign);
        const changed = lines.with(2, entry.slice(0, at) + sign + entry.slice(at + 1));
        const { code: failure, message } = failureOf(textFile(changed.join('\n')));
        expect([failure, message]).toEqual(['DT_LOG_TAMPERED', expect.stringContaining('.jsonl:3: ')]);
      }),
    );
  });

  it.each<[string, (lines: string[]) => string[], LogFailureCode, string]>([
    [
      'another seed',
      (all) => all.with(0, (all[0] ?? '').replace('seven', 'eight')),
      'DT_LOG_TAMPERED',
      ':2: entry 1',
    ],
    [
      'a line left out',
      (all) => all.toSpliced(2, 1),
      'DT_LOG_TAMPERED',
      ':3: entry 2 was expected, and this is entry 3',
    ],
    [
      'a mark of a merge',
      (all) => all.toSpliced(2, 0, '<<<<<<< ours'),
      'DT_LOG_TAMPERED',
      ':3: entry 2 was expected',
    ],
    ['an end too early', (all) => all.slice(0, 3), 'DT_LOG_TRUNCATED', 'ends after entry 2; entries up to 3'],
    ['a newer form', (all) => all.with(0, '{"doubletake":2}'), 'DT_LOG_NEWER', 'has the format 2'],
    ['no manifest', (all) => all.slice(1), 'DT_LOG_FOREIGN', ':1: a take begins with'],
    ['nothing', () => [], 'DT_LOG_FOREIGN', ':1: a take begins with'],
  ])('are refused with %s, naming the line', async (_what, change, code, message) => {
    const file = textFile(change(await linesWith(plainEntries(1, 3))).join('\n'));
    expect(failureOf(file)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('are refused when entries stand after the end', async () => {
    const lines = await linesWith(plainEntries(1, 4));
    const shorter = await linesWith(plainEntries(1, 3));
    const { code } = failureOf(textFile(lines.with(0, shorter[0] ?? '').join('\n')));
    expect(code).toBe('DT_LOG_TAMPERED');
  });

  it('are refused without being read whole when they are no lines at all', () => {
    expect(failureOf(textFile('x'.repeat(3_000_000)))).toMatchObject({ code: 'DT_LOG_FOREIGN' });
    expect(failureOf(folder)).toMatchObject({ code: 'DT_LOG_FOREIGN' });
    expect(failureOf(join(folder, 'none.jsonl'))).toMatchObject({ code: 'DT_LOG_MISSING' });
  });

  it('are not written from a log whose entries do not give its hash', async () => {
    const log = openSqliteLog({ manifest });
    await append(log, plainEntries(1, 3));
    const lying: EventLog = Object.create(log, {
      head: { value: { seq: 3, hash: 'f'.repeat(64) } },
    }) as EventLog;
    lying.read = (from, limit) => log.read(from, limit);
    Object.defineProperty(lying, 'manifest', { value: manifest });
    await expect(writeLog(lying, textFile(''))).rejects.toMatchObject({ code: 'DT_LOG_TAMPERED' });
    await log.close();
  });
});
