import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryFolder = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  /** From the repository's folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The files under a folder of the repository whose names end in one of `endings`, sorted by path. */
export function filesUnder(folder: string, endings: readonly string[]): readonly SourceFile[] {
  return readdirSync(join(repositoryFolder, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => posix.join(folder, fromRepository(entry.parentPath, folder), entry.name))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(repositoryFolder, path), 'utf8') }));
}

function fromRepository(parent: string, folder: string): string {
  return parent.slice(join(repositoryFolder, folder).length).replaceAll('\\', '/').replace(/^\//, '');
}

export interface Import {
  readonly from: string;
  /** A path from the repository's folder, or the name of a package or of a module of Node. */
  readonly to: string;
  readonly own: boolean;
}

/** What a file imports: statically, on demand, or for its types. */
export function importsOf(file: SourceFile): readonly Import[] {
  return [...withoutComments(file.text).matchAll(specifier)].map((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    const own = target.startsWith('.');
    const to = own ? posix.join(dirname(file.path), target) : packageName(target);
    return { from: file.path, to, own };
  });
}

const specifier = new RegExp(
  [
    String.raw`^import\s*['"]([^'"\n]+)['"]`,
    String.raw`^(?:import|export)\b[^'"\`;()=]*\bfrom\s*['"]([^'"\n]+)['"]`,
    String.raw`\bimport\(\s*['"]([^'"\n]+)['"]\s*\)`,
  ].join('|'),
  'gm',
);

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
}

/** `ajv/dist/2020.js` is `ajv`; `@grpc/grpc-js/build` is `@grpc/grpc-js`; `node:fs/promises` stays. */
function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
