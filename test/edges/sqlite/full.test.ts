import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import type { EventLog } from '../../../src/core/simulator/ports.ts';
import { ManifestTable } from '../../../src/edges/sqlite/manifest-table.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { makeSchema } from '../../../src/edges/sqlite/schema.ts';
import { SqliteLog } from '../../../src/edges/sqlite/sqlite-log.ts';
import { plainEntries, plainEntry, textsOf } from '../arbitrary-entries.ts';
import { append, manifest } from '../event-log-contract.ts';
import { temporaryFolder } from '../temporary-folder.ts';

function logWithLittleRoom(): { readonly log: EventLog; readonly database: Database.Database } {
  const database = new Database(join(temporaryFolder(), 'run.db'));
  database.pragma('journal_mode = WAL');
  makeSchema(database);
  new ManifestTable(database).putManifest(manifest);
  database.pragma('max_page_count = 30');
  return { database, log: new SqliteLog({ database, canWrite: true, name: 'the log' }) };
}

it('a log without room refuses the whole flush, keeps what it has, and goes on when there is room again', async () => {
  const { log, database } = logWithLittleRoom();
  await append(log, plainEntries(1, 20));
  const { head } = log;
  const many = Array.from({ length: 30 }, (_, index) => plainEntry(21 + index, new Uint8Array(3_900)));
  for (const entry of many) log.stage(entry);
  expect(() => log.flush()).toThrow(expect.objectContaining({ name: 'LogFailure', code: 'DT_LOG_FULL' }));

  // Nothing of it is in the log, and nothing is staged any more.
  expect(log.head).toEqual(head);
  await log.flush();
  expect(textsOf(await log.read(1, 100))).toEqual(textsOf(plainEntries(1, 20)));
  expect(() => log.stage(plainEntry(51))).toThrow('entry 21 was to be staged, not 51');

  database.pragma('max_page_count = 1000');
  await append(log, many);
  expect(log.head.seq).toBe(50);
  await log.verify();
  await log.close();
});

it('a log without room refuses a snapshot and keeps none of its parts', async () => {
  const { log, database } = logWithLittleRoom();
  await append(log, plainEntries(1, 20));
  const parts = new Map([
    ['small', new Uint8Array(10)],
    ['large', new Uint8Array(300_000)],
  ]);
  const snapshot = { seq: 20, reducerDigest: 'r', parts };
  expect(() => log.saveSnapshot(snapshot)).toThrow(expect.objectContaining({ code: 'DT_LOG_FULL' }));
  expect(log.loadSnapshot(20, 'r')).toBeUndefined();
  expect(database.prepare('SELECT count(*) FROM snapshot_parts').pluck().get()).toBe(0);
  await append(log, plainEntries(21, 22));
  await log.close();
});

const canLimit = ((): boolean => {
  try {
    return process.platform === 'linux' && execFileSync('prlimit', ['--version']).length > 0;
  } catch {
    return false;
  }
})();

it.runIf(canLimit)(
  'a file-size limit is met without losing anything, and lifted without starting anew',
  async () => {
    const file = join(temporaryFolder(), 'run.take');
    const script = fileURLToPath(new URL('full-writer.ts', import.meta.url));
    const limited = ['-c', 'ulimit -Sf 400; exec "$0" "$@"', process.execPath, script, file];
    const writer = spawn('bash', limited, { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void writer.kill('SIGKILL'));
    const lines = createInterface({ input: writer.stdout })[Symbol.asyncIterator]();

    const [, refused, head] = /^(\w+) (\d+)$/.exec((await lines.next()).value ?? '') ?? [];
    expect(refused).toBe('DT_LOG_FULL');
    expect(Number(head)).toBeGreaterThan(20);
    execFileSync('prlimit', ['--pid', String(writer.pid), '--fsize=unlimited:']);
    writer.stdin.write('there is room\n');
    expect((await lines.next()).value).toBe(`goes on ${Number(head) + 1}`);
    await once(writer, 'exit');

    const log = openSqliteLog({ file });
    expect(log.head.seq).toBe(Number(head) + 1);
    await log.verify();
    await log.close();
  },
);
