import { describe } from 'vitest';
import type { LogEntry } from '../../../src/core/simulator/events.ts';
import type { EventLog } from '../../../src/core/simulator/ports.ts';
import { openSqliteLog } from '../../../src/edges/sqlite/open-sqlite-log.ts';
import { append, itReadsAsALogDoes, itWritesAsALogDoes, manifest } from '../event-log-contract.ts';

async function logInMemory(entries: readonly LogEntry[]): Promise<EventLog> {
  const log = openSqliteLog({ manifest });
  await append(log, entries);
  return log;
}

describe('a log in memory', () => {
  itReadsAsALogDoes(logInMemory);
  itWritesAsALogDoes(logInMemory);
});
