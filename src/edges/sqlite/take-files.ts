import { resolve } from 'node:path';

/**
 * The files of a take. Only the first is left when it has been closed:
 *
 *     run.take            the log, an SQLite database
 *     run.take-wal, -shm  SQLite's own, while it is open (and -journal, for moments)
 *     run.take-anchor     what has been answered so far (anchor.ts)
 *     run.take-lock       whose lock the writer holds (ownership.ts)
 *     run.take-new        a take that is being made
 */
export interface TakeFiles {
  readonly take: string;
  readonly wal: string;
  readonly shm: string;
  readonly journal: string;
  readonly anchor: string;
  readonly lock: string;
  readonly fresh: string;
}

export function takeFiles(file: string): TakeFiles {
  // An absolute path: SQLite would read `file:…` as an address.
  const take = resolve(file);
  return {
    take,
    wal: `${take}-wal`,
    shm: `${take}-shm`,
    journal: `${take}-journal`,
    anchor: `${take}-anchor`,
    lock: `${take}-lock`,
    fresh: `${take}-new`,
  };
}
