import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import type { Violation } from '../../core/services/rpc/events.ts';

/** How many stub files one load may find. */
export const stubFilesMax = 100_000;

export interface FoundStubFiles {
  /** In the order of the given paths; below a folder by path, compared by UTF-16 code units, with `/` between names. */
  readonly files: readonly FoundStubFile[];
  readonly problems: readonly Violation[];
}

export interface FoundStubFile {
  /** The given path, or the given folder and the path below it. */
  readonly file: string;
  readonly stats: Stats;
}

/**
 * The stub files that `paths` name: files, and folders with all that is below them. A file that can be reached in several
 * ways is found once. In folders, other extensions and names that begin with a dot are passed over; links are followed,
 * but a link that leads out of the given folder is a problem.
 */
export function findStubFiles(paths: readonly string[]): FoundStubFiles {
  const search: Search = { files: [], problems: [], seen: new Set() };
  for (const path of paths) findGiven(path, search);
  return search;
}

export function isYamlFile(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

/** What went wrong with a file, in words; other errors than those of the file system are ours, and thrown. */
export function fileProblem(file: string, error: unknown): Violation {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) throw error;
  return { file, pointer: '', message: reasons.get(code) ?? `cannot be read (${code})` };
}

interface Search {
  readonly files: FoundStubFile[];
  readonly problems: Violation[];
  /** Real paths of files and folders. */
  readonly seen: Set<string>;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'reading it is not permitted'],
  ['EPERM', 'reading it is not permitted'],
  ['ELOOP', 'is a link that leads back to itself'],
]);

function findGiven(path: string, search: Search): void {
  guarded(path, search, () => {
    const stats = statSync(path);
    if (stats.isDirectory()) findBelow(path, realpathSync(path), search);
    else if (!isStubFile(path))
      problem(search, path, 'expected a folder, or a file with the extension .json, .yaml or .yml');
    else addFile(path, realpathSync(path), stats, search);
  });
}

/** `root` is the real path of the folder that was given. */
function findBelow(folder: string, root: string, search: Search): void {
  if (!isNew(realpathSync(folder), search)) return;
  for (const { path, isFolder } of entriesOf(folder)) {
    guarded(path, search, () => {
      const real = realpathSync(path);
      if (!isWithin(real, root)) problem(search, path, 'is a link that leads out of the folder of stubs');
      else if (isFolder) findBelow(path, root, search);
      else addFile(path, real, statSync(path), search);
    });
  }
}

interface FolderEntry {
  readonly path: string;
  readonly isFolder: boolean;
}

// By path and not by name: `a-b.yaml` stands before `a/c.yaml`, because - comes before /.
function entriesOf(folder: string): readonly FolderEntry[] {
  const entries = readdirSync(folder).flatMap((name): readonly FolderEntry[] => {
    if (name.startsWith('.')) return [];
    const path = join(folder, name);
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    return isFolder || isStubFile(name) ? [{ path: path.replaceAll(sep, '/'), isFolder }] : [];
  });
  const key = ({ path, isFolder }: FolderEntry): string => (isFolder ? `${path}/` : path);
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function addFile(file: string, real: string, stats: Stats, search: Search): void {
  if (!isNew(real, search)) return;
  if (!stats.isFile()) problem(search, file, 'expected a plain file');
  else if (search.files.length < stubFilesMax) search.files.push({ file, stats });
  else if (search.files.length === stubFilesMax)
    problem(search, file, `expected at most ${stubFilesMax} stub files`);
}

function isStubFile(name: string): boolean {
  return isYamlFile(name) || /\.json$/i.test(name);
}

function isNew(real: string, search: Search): boolean {
  const isNew = !search.seen.has(real);
  search.seen.add(real);
  return isNew;
}

function isWithin(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

function problem(search: Search, file: string, message: string): void {
  search.problems.push({ file, pointer: '', message });
}

function guarded(file: string, search: Search, find: () => void): void {
  try {
    find();
  } catch (error) {
    search.problems.push(fileProblem(file, error));
  }
}
