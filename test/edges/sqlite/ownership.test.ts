import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { takeOwnership } from '../../../src/edges/sqlite/ownership.ts';
import { plainEntries } from '../arbitrary-entries.ts';
import { append, manifest } from '../event-log-contract.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { failureOf } from './damaged-takes.ts';

const writerFile = fileURLToPath(new URL('torture/writer.ts', import.meta.url));

describe('a take that a process writes', () => {
  it('is refused to a second one, naming the first, until that is gone, however it went', async () => {
    const file = join(temporaryFolder(), 'run.take');
    const writer = startWriter(file);
    await answers(writer, 1);
    const failure = await failureOf({ file });
    expect(failure).toMatchObject({ code: 'DT_LOG_OWNED' });
    expect(failure?.message).toMatch(
      `${file} is being written by process ${writer.pid} on ${hostname()}, since 20`,
    );
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect(existsSync(`${file}-lock`)).toBe(true);
    expect(await failureOf({ file })).toBeUndefined();
  });

  it('can be read meanwhile, and ends where the reader looked', async () => {
    const file = join(temporaryFolder(), 'run.take');
    const writer = startWriter(file);
    await answers(writer, 5);
    for (let times = 0; times < 3; times += 1) {
      const log = openSqliteLog({ file, readOnly: true });
      const { seq } = log.head;
      expect((await log.read(1, seq)).at(-1)?.seq).toBe(seq);
      await log.close();
    }
    writer.kill('SIGKILL');
    await once(writer, 'exit');
  });

  it('is refused to a second log of the same process, too', async () => {
    const file = join(temporaryFolder(), 'run.take');
    const log = openSqliteLog({ file, manifest });
    const failure = await failureOf({ file });
    expect(failure).toMatchObject({
      code: 'DT_LOG_OWNED',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await append(log, plainEntries(1, 3));
    await log.close();
    expect(await failureOf({ file })).toBeUndefined();
  });

  it('is refused when an entry of the number is there already, whoever wrote it', async () => {
    const file = join(temporaryFolder(), 'run.take');
    const log = openSqliteLog({ file, manifest });
    await append(log, plainEntries(1, 3));
    const { default: Database } = await import('better-sqlite3');
    const other = new Database(file);
    other.exec(`INSERT INTO entries SELECT 4, at, input, outcomes, payload, hash FROM entries WHERE seq = 3`);
    other.close();
    for (const entry of plainEntries(4, 5)) log.stage(entry);
    expect(() => log.flush()).toThrow(expect.objectContaining({ code: 'DT_LOG_OWNED' }));
    await log.close();
  });
});

describe('the lock beside a take', () => {
  it('belongs to one at a time, and can be had again once it is released', () => {
    const file = join(temporaryFolder(), 'run.take-lock');
    for (let times = 0; times < 3; times += 1) {
      const first = takeOwnership(file);
      expect(first).toBeDefined();
      expect(takeOwnership(file)).toBeUndefined();
      first?.release();
      expect(existsSync(file)).toBe(false);
    }
  });
});

function startWriter(file: string): ChildProcess {
  const writer = spawn(process.execPath, [writerFile, file, 'process', 'seed'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void writer.kill('SIGKILL'));
  return writer;
}

/** Waits until the writer has answered so often. */
async function answers(writer: ChildProcess, count: number): Promise<void> {
  if (writer.stdout === null) throw new Error('the writer has no output');
  const lines = createInterface({ input: writer.stdout });
  let seen = 0;
  await new Promise<void>((resolve) => {
    lines.on('line', () => {
      seen += 1;
      if (seen > count) resolve();
    });
  });
}
