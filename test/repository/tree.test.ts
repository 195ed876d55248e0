import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFolder } from './source-files.ts';

// What git would take: files that are tracked, and new ones that are not ignored.
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: repositoryFolder,
  encoding: 'utf8',
})
  .split('\0')
  .filter(
    (path) =>
      path !== '' && lstatSync(join(repositoryFolder, path), { throwIfNoEntry: false })?.isFile() === true,
  );
const written = paths.filter(
  (path) => /\.(ts|tsx|js|mjs|json|ya?ml|md|proto)$/.test(path) && path !== 'package-lock.json',
);

describe('the tree', () => {
  it('has the top level that others rely on', () => {
    const top = new Set(paths.map((path) => path.split('/')[0]));
    for (const name of ['package.json', 'tsconfig.json', 'src', 'schemas', 'test'])
      expect(top).toContain(name);
  });

  it('names source files in kebab-case', () => {
    const sources = paths.filter((path) => /^(src|test|bench|scripts)\/.*\.(ts|js|mjs)$/.test(path));
    const odd = sources.filter((path) => !isKebabCase(path));
    expect(odd).toEqual([]);
  });

  it('has no file that is named after nothing', () => {
    const empty = /(^|[-/])(utils?|helpers?|common|misc|manager|types)(\.|\/|$)/;
    expect(paths.filter((path) => /^(src|test|bench)\//.test(path) && empty.test(path))).toEqual([]);
  });

  it('names no folder of one machine', () => {
    const home = new RegExp(String.raw`(^|[^\w.])/(work|farm|tmp|root|home/\w+|Users/\w+)/`, 'm');
    expect(written.filter((path) => home.test(content(path)))).toEqual([]);
  });

  it('names no registry and no mirror, also in the lock file', () => {
    const lock = JSON.parse(content('package-lock.json')) as {
      packages: Record<string, { resolved?: string }>;
    };
    const resolved = Object.values(lock.packages).flatMap((entry) => entry.resolved ?? []);
    expect(resolved.filter((url) => !url.startsWith('https://registry.npmjs.org/'))).toEqual([]);
    expect(paths.filter((path) => basename(path) === '.npmrc')).toEqual([]);
  });

  it('holds no file over a megabyte and no take that is not text', () => {
    const large = paths.filter(
      (path) => path !== 'package-lock.json' && readFileSync(join(repositoryFolder, path)).length > 1 << 20,
    );
    expect(large).toEqual([]);
    expect(paths.filter((path) => path.endsWith('.take'))).toEqual([]);
  });
});

function isKebabCase(path: string): boolean {
  return path
    .split('/')
    .every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part) || part.startsWith('.'));
}

function content(path: string): string {
  return readFileSync(join(repositoryFolder, path), 'utf8');
}
