import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/** `.proto` files in one load; the largest public collections have about ten thousand. */
export const protoFilesMax = 100_000;

/** A folder that names of files are relative to. */
export interface Root {
  /** As it was given. */
  readonly path: string;
  /** Without links. */
  readonly real: string;
}

/** A `.proto` file on disk. */
export interface FoundProto {
  readonly real: string;
  /** The path that people know it by. */
  readonly path: string;
  /** Loaded only when something imports it. */
  readonly onlyIfImported: boolean;
}

export function rootOf(path: string): Root {
  return { path, real: realpathSync(path) };
}

export function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

export function foundFile(path: string): FoundProto {
  return { real: realpathSync(path), path, onlyIfImported: false };
}

/**
 * The `.proto` files below a folder, sorted by path in UTF-16 code units. Links are followed, each folder and file once.
 * Folders named `node_modules` and those that begin with a dot are passed over. What is below `google/protobuf` belongs
 * to the compiler, tests and all: it is loaded only where it is imported.
 */
export function protosBelow(root: Root): FoundProto[] {
  const found: FoundProto[] = [];
  const seen = new Set<string>();
  const pending = [{ folder: root.real, path: root.path }];
  for (let next = pending.pop(); next !== undefined && found.length <= protoFilesMax; next = pending.pop()) {
    if (seen.has(next.folder)) continue;
    seen.add(next.folder);
    const { folder, path } = next;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const child = { path: join(path, entry.name), real: join(folder, entry.name) };
      const kind = entry.isSymbolicLink()
        ? linked(child)
        : { real: child.real, isFolder: entry.isDirectory() };
      if (kind === undefined) continue;
      if (kind.isFolder && !isPassedOver(entry.name)) pending.push({ folder: kind.real, path: child.path });
      const isProto = !kind.isFolder && entry.name.endsWith('.proto');
      if (isProto) found.push({ ...child, real: kind.real, onlyIfImported: isOfCompiler(root, child.path) });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function linked(child: {
  readonly real: string;
}): { readonly real: string; readonly isFolder: boolean } | undefined {
  try {
    const real = realpathSync(child.real);
    return { real, isFolder: isFolder(real) };
  } catch {
    // A link that leads nowhere.
    return undefined;
  }
}

function isPassedOver(folder: string): boolean {
  return folder === 'node_modules' || folder.startsWith('.');
}

function isOfCompiler(root: Root, path: string): boolean {
  return `/${relative(root.path, path).split(sep).join('/')}`.includes('/google/protobuf/');
}

/** The name of a file below a root, with `/` between folders; `undefined` when it is elsewhere. */
export function nameBelow(root: Root, real: string): string | undefined {
  const name = relative(root.real, real);
  const isInside = name !== '' && name !== '..' && !name.startsWith(`..${sep}`) && !name.startsWith(sep);
  return isInside ? name.split(sep).join('/') : undefined;
}

/** The file of a name below a folder, if there is one. */
export function fileBelow(folder: Root, name: string): FoundProto | undefined {
  const path = join(folder.path, name);
  try {
    const real = realpathSync(join(folder.real, name));
    return isFolder(real) ? undefined : { real, path, onlyIfImported: false };
  } catch {
    return undefined;
  }
}

/** Folders around a file, from its own outwards. */
export function foldersAround(file: FoundProto): Root[] {
  const folders: Root[] = [];
  let path = dirname(file.path);
  for (let real = dirname(file.real); ; real = dirname(real)) {
    folders.push({ path, real });
    if (dirname(real) === real) return folders;
    // The given path may have fewer folders than the real one, or lead through a link.
    path = basename(path) === basename(real) ? dirname(path) : dirname(real);
  }
}
