import { existsSync, rmSync } from 'node:fs';
import type { EventLog, Manifest } from '../../core/simulator/ports.ts';
import { reducerDigest } from '../../core/simulator/reducer-digest.ts';
import { openSqliteLog } from '../../edges/sqlite/open-sqlite-log.ts';
import { usageFailure } from '../command-failure.ts';
import { newManifest } from './new-manifest.ts';
import type { ServeOptions } from './options.ts';

export interface ServedLog {
  readonly log: EventLog;
  /** Takes away, once it is closed, a take that was made just now and that nothing was served from. */
  readonly forget: () => void;
}

/** Opens the take, makes it where there is none, or keeps the log in memory. */
export function openServedLog(options: ServeOptions): ServedLog {
  const { take: file, durability, acceptLoss = false } = options;
  const manifest = newManifest(options);
  if (file === undefined) return { log: openSqliteLog({ manifest }), forget: () => {} };
  const isNew = !existsSync(file);
  const log = openSqliteLog({ file, manifest, durability, reducerDigest, acceptLoss });
  if (!isNew) refuseAnotherManifest(file, log.manifest, options);
  return { log, forget: () => (isNew ? rmSync(file, { force: true }) : undefined) };
}

/** What a take was made with stays: a replay depends on it. */
function refuseAnotherManifest(
  file: string,
  manifest: Manifest,
  { seed, startAt, compat }: ServeOptions,
): void {
  if (seed !== undefined && seed !== manifest.seed) throw fixed(file, '--seed', manifest.seed, seed);
  if (startAt !== undefined && startAt !== manifest.clock.startAt) {
    throw fixed(file, '--start-at', isoTime(manifest.clock.startAt), isoTime(startAt));
  }
  if (compat !== undefined && !manifest.compat.includes(compat))
    throw fixed(file, '--compat', 'none', compat);
}

function fixed(file: string, option: string, had: string, asked: string): Error {
  return usageFailure(
    `${file} was made with ${option} ${had}, and ${asked} was asked for`,
    `Leave ${option} away to go on with the take, or give another file.`,
  );
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
