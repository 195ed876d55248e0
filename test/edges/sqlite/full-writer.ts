// A process that writes until there is no more room, says so, and goes on when it is told that there is some.

import { once } from 'node:events';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { plainEntry } from '../arbitrary-entries.ts';
import { manifest } from '../event-log-contract.ts';

const log = openSqliteLog({ file: process.argv[2] ?? '', manifest });
process.stdout.write(`${await writeUntilRefused()} ${log.head.seq}\n`);
await once(process.stdin, 'data');
await write();
process.stdout.write(`goes on ${log.head.seq}\n`);
process.stdin.destroy();
await log.close();

async function writeUntilRefused(): Promise<string> {
  try {
    for (;;) await write();
  } catch (failure) {
    return (failure as { code: string }).code;
  }
}

async function write(): Promise<void> {
  log.stage(plainEntry(log.head.seq + 1, new Uint8Array(3_000)));
  await log.flush();
}
