import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { plainEntries } from '../arbitrary-entries.ts';
import { append, manifest } from '../event-log-contract.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { closedTake, edit, failureOf } from './damaged-takes.ts';

describe('a file that is no take', () => {
  it.each<[string, (file: string) => void, string, string]>([
    ['there is none', () => {}, 'DT_LOG_MISSING', 'there is no such file'],
    ['it is empty', (file) => writeFileSync(file, ''), 'DT_LOG_FOREIGN', 'is empty'],
    [
      'it is a text',
      (file) => writeFileSync(file, 'once upon a time '.repeat(100)),
      'DT_LOG_FOREIGN',
      'is not a take',
    ],
    ['it is a folder', (file) => mkdirSync(file), 'DT_LOG_FOREIGN', 'is not a file'],
    ['it is a database', (file) => edit(file, 'CREATE TABLE t (x)'), 'DT_LOG_FOREIGN', 'not a take'],
  ])('is refused when %s, for writing and for reading', async (_what, make, code, message) => {
    const folder = temporaryFolder();
    const file = join(folder, 'run.take');
    make(file);
    for (const readOnly of [false, true]) {
      const failure = await failureOf({ file, readOnly });
      expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
      expect(failure?.message).toContain(file);
    }
    expect(readdirSync(folder).filter((name) => name !== 'run.take')).toEqual([]);
  });

  it('is not made into one, though a manifest is given', async () => {
    const file = join(temporaryFolder(), 'run.take');
    writeFileSync(file, '');
    expect(await failureOf({ file, manifest })).toMatchObject({ code: 'DT_LOG_FOREIGN' });
  });

  it('is missing also when its folder is', async () => {
    const file = join(temporaryFolder(), 'none', 'run.take');
    expect(await failureOf({ file, manifest })).toMatchObject({ code: 'DT_LOG_MISSING' });
  });
});

describe('a take that this code does not read', () => {
  it('is newer when its format is', async () => {
    const file = await closedTake(temporaryFolder(), plainEntries(1, 3));
    edit(file, 'PRAGMA user_version = 2');
    expect(await failureOf({ file })).toMatchObject({
      code: 'DT_LOG_NEWER',
      message: expect.stringContaining('has the format 2; this Doubletake reads up to 1'),
    });
  });

  it('is refused when something in it would run by itself', async () => {
    const folder = temporaryFolder();
    const file = await closedTake(folder, plainEntries(1, 3));
    edit(file, 'CREATE TRIGGER evil AFTER INSERT ON entries BEGIN DELETE FROM entries; END');
    expect(await failureOf({ file })).toMatchObject({ code: 'DT_LOG_TAMPERED' });
  });

  it('is refused when a table is another thing', async () => {
    const file = await closedTake(temporaryFolder(), plainEntries(1, 3));
    edit(file, 'ALTER TABLE entries RENAME TO hidden; CREATE VIEW entries AS SELECT * FROM hidden');
    expect(await failureOf({ file })).toMatchObject({ code: 'DT_LOG_TAMPERED' });
  });
});

describe('making a take', () => {
  it('removes what an earlier one of the same name has left behind', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'run.take');
    const first = openSqliteLog({ file, manifest });
    await append(first, plainEntries(1, 3));
    // As if the process had been killed and somebody had then removed the database alone.
    rmSync(file);
    rmSync(`${file}-lock`);
    const second = openSqliteLog({ file, manifest });
    expect(second.head.seq).toBe(0);
    await append(second, plainEntries(1, 1));
    await second.verify();
    await second.close();
    expect(existsSync(`${file}-anchor`)).toBe(false);
  });

  it('starts anew after a process that died while it made one', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'run.take');
    writeFileSync(`${file}-new`, 'half of a database');
    writeFileSync(`${file}-anchor`, '');
    const log = openSqliteLog({ file, manifest });
    await append(log, plainEntries(1, 3));
    await log.close();
    expect(readdirSync(folder)).toEqual(['run.take']);
  });
});

// Root may write anywhere; so the file system is asked as somebody else, for the moment of the opening.
const nobody = 65_534;
function asNobody<Result>(work: () => Result): Result {
  if (process.geteuid?.() !== 0 || process.seteuid === undefined) return work();
  process.seteuid(nobody);
  try {
    return work();
  } finally {
    process.seteuid(0);
  }
}

function codeOf(work: () => unknown): unknown {
  try {
    asNobody(work);
    return undefined;
  } catch (failure) {
    return (failure as { code?: unknown }).code;
  }
}

describe.runIf(process.platform !== 'win32')('a take that takes no writes', () => {
  it('is read-only when its folder is, and can be read without leaving anything there', async () => {
    const folder = temporaryFolder();
    const file = await closedTake(folder, plainEntries(1, 3));
    chmodSync(folder, 0o555);
    expect(codeOf(() => openSqliteLog({ file }))).toBe('DT_LOG_READ_ONLY');
    expect(codeOf(() => openSqliteLog({ file: join(folder, 'new.take'), manifest }))).toBe(
      'DT_LOG_READ_ONLY',
    );
    const log = asNobody(() => openSqliteLog({ file, readOnly: true }));
    expect(log.head.seq).toBe(3);
    await log.close();
    expect(readdirSync(folder)).toEqual(['closed.take']);
    chmodSync(folder, 0o755);
  });

  it('is read-only when the file is', async () => {
    const folder = temporaryFolder();
    const file = await closedTake(folder, plainEntries(1, 3));
    chmodSync(folder, 0o777);
    chmodSync(file, 0o444);
    expect(codeOf(() => openSqliteLog({ file }))).toBe('DT_LOG_READ_ONLY');
    expect(readdirSync(folder)).toEqual(['closed.take']);
  });
});

describe('reading a take', () => {
  it('leaves nothing beside it', async () => {
    const folder = temporaryFolder();
    const file = await closedTake(folder, plainEntries(1, 3));
    const log = openSqliteLog({ file, readOnly: true });
    await log.read(1, 3);
    await log.close();
    expect(readdirSync(folder)).toEqual(['closed.take']);
  });

  it('waits for nobody and hinders nobody who looks at it with another tool', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'run.take');
    const log = openSqliteLog({ file, manifest });
    const tool = new Database(file, { readonly: true });
    const rows = tool.prepare('SELECT * FROM entries').iterate();
    await append(log, plainEntries(1, 3));
    rows.return?.();
    expect(tool.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(3);
    tool.close();
    await log.close();
  });
});
