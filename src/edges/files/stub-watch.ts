import { statSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { findStubFiles } from './stub-paths.ts';

/** Which stub files changed; named as `findStubFiles` names them. */
export interface StubFilesChange {
  /** New, or with other content, in the order of loading. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface StubWatchTiming {
  /** How long to wait after a sign of change: editors write a file in several steps. */
  readonly settleMs: number;
  /** How often to look without a sign, where the system gives none. */
  readonly pollMs: number;
}

export interface StubWatch {
  close(): void;
}

const usualTiming: StubWatchTiming = { settleMs: 50, pollMs: 1000 };

/**
 * Watches stub files and folders, and says which files changed or went away since the last report.
 *
 * What the system reports is only a sign to look: what changed is found by comparing the states of the files. So files that
 * an editor replaces, moved folders and folders that come back are all seen. Where the system cannot watch, or has nothing
 * to watch yet, it looks every `pollMs`.
 */
export function watchStubFiles(
  paths: readonly string[],
  onChange: (change: StubFilesChange) => void,
  timing: StubWatchTiming = usualTiming,
): StubWatch {
  let known = statesOf(paths);
  let alarm: NodeJS.Timeout | undefined;
  const places = paths.map((path) => watchedPlace(path, () => lookIn(timing.settleMs)));
  rest();

  function lookIn(delayMs: number): void {
    clearTimeout(alarm);
    alarm = setTimeout(look, delayMs);
  }

  function look(): void {
    const now = statesOf(paths);
    const change = changeBetween(known, now);
    known = now;
    for (const place of places) place.renew();
    const isQuiet = change.changed.length + change.removed.length === 0;
    // What was written while the system had not yet begun to watch a new folder gives no sign: look once more.
    if (isQuiet) rest();
    else lookIn(timing.settleMs);
    if (!isQuiet) onChange(change);
  }

  function rest(): void {
    if (places.some((place) => !place.isWatched())) lookIn(timing.pollMs);
  }

  return {
    close() {
      clearTimeout(alarm);
      for (const place of places) place.close();
    },
  };
}

/** The folder in which the changes of one path show. */
interface WatchedPlace {
  isWatched(): boolean;
  /** Watches the folder that is there now, if it is another one than before. */
  renew(): void;
  close(): void;
}

function watchedPlace(path: string, onSign: () => void): WatchedPlace {
  let watcher: FSWatcher | undefined;
  let watched: number | undefined;

  function close(): void {
    watcher?.close();
    watcher = undefined;
    watched = undefined;
  }

  function renew(): void {
    const { folder, recursive } = folderOf(path);
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    if (inode === watched && watcher !== undefined) return;
    close();
    try {
      watcher = watch(folder, { recursive }, onSign);
      watcher.on('error', () => {
        close();
        onSign();
      });
      watched = inode;
    } catch {
      // There is nothing to watch yet, or the system has no more watches to give: polling goes on.
    }
  }

  renew();
  return { isWatched: () => watcher !== undefined, renew, close };
}

// An editor replaces a file by another one of the same name: only the folder sees that.
function folderOf(path: string): { readonly folder: string; readonly recursive: boolean } {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? { folder: path, recursive: true } : { folder: dirname(path), recursive: false };
}

/** A text for each file that is another one when the file has changed. */
type FileStates = ReadonlyMap<string, string>;

function statesOf(paths: readonly string[]): FileStates {
  const { files } = findStubFiles(paths);
  return new Map(
    files.map(({ file, stats }) => [file, [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ')]),
  );
}

function changeBetween(before: FileStates, after: FileStates): StubFilesChange {
  return {
    changed: [...after].filter(([file, state]) => before.get(file) !== state).map(([file]) => file),
    removed: [...before.keys()].filter((file) => !after.has(file)),
  };
}
