import { describe, expect, it } from 'vitest';
import { filesUnder, importsOf, type Import } from './source-files.ts';

const imports = filesUnder('src', ['.ts']).flatMap(importsOf);
const own = imports.filter((found) => found.own);
const packages = imports.filter((found) => !found.own && !found.to.startsWith('node:'));

describe('who may import whom', () => {
  it('is found at all: the scan sees static imports, types and imports on demand', () => {
    const text = [
      `import { a } from './a.ts';`,
      `import type {\n  B,\n} from '../b.ts';`,
      `export * from "@x/y/z";`,
      `import './c.ts';`,
      `const d = await import('node:fs/promises');`,
      `// import './comment.ts'`,
    ].join('\n');
    expect(importsOf({ path: 'src/core/x.ts', text }).map(({ to }) => to)).toEqual([
      'src/core/a.ts',
      'src/b.ts',
      '@x/y',
      'src/core/c.ts',
      'node:fs/promises',
    ]);
  });

  it('the kernel imports nothing of ours', () => {
    expect(breaches('src/core/kernel/', ['src/core/kernel/'])).toEqual([]);
  });

  it('a service imports the kernel, its own folder, and the events of other services', () => {
    for (const service of foldersUnder('src/core/services/')) {
      const foreign = breaches(service, ['src/core/kernel/', 'schemas/', service]);
      expect(foreign.filter((line) => !/ -> src\/core\/services\/[\w-]+\/events\.ts$/.test(line))).toEqual(
        [],
      );
    }
  });

  it('the simulator imports core only', () => {
    expect(breaches('src/core/simulator/', ['src/core/'])).toEqual([]);
  });

  it('an edge imports core and itself, never another edge', () => {
    for (const edge of foldersUnder('src/edges/')) expect(breaches(edge, ['src/core/', edge])).toEqual([]);
  });

  it('nothing in core or at the edges imports commands, testing or main', () => {
    const above = /^src\/(commands|testing|main\.ts|index\.ts)/;
    const down = own.filter(({ from, to }) => /^src\/(core|edges|page)\//.test(from) && above.test(to));
    expect(down.map(line)).toEqual([]);
  });

  it('every import of ours names a file of ours', () => {
    const files = new Set(filesUnder('src', ['.ts', '.tsx', '.json']).map(({ path }) => path));
    const lost = own.filter(({ to }) => to.startsWith('src/') && !files.has(to));
    expect(lost.map(line)).toEqual([]);
  });
});

describe('packages', () => {
  // One folder each, so that a package can be exchanged in one place (style, rule 31).
  const places: Readonly<Record<string, readonly string[]>> = {
    '@bufbuild/protobuf': ['src/core/', 'src/edges/files/', 'src/commands/'],
    '@faker-js/faker': ['src/core/services/rpc/templates/'],
    '@fastify/swagger': ['src/edges/admin/'],
    '@grpc/grpc-js': ['src/edges/grpc/'],
    '@noble/hashes': ['src/core/kernel/'],
    ajv: ['src/core/services/rpc/', 'src/edges/admin/'],
    'better-sqlite3': ['src/edges/sqlite/'],
    commander: ['src/commands/'],
    fastify: ['src/edges/admin/', 'src/edges/http/'],
    immutable: ['src/core/'],
    re2js: ['src/core/services/rpc/matching/'],
    rxjs: ['src/edges/', 'src/commands/'],
    'sorted-btree': ['src/core/kernel/'],
    'string-width': ['src/edges/terminal/'],
    yaml: ['src/edges/files/'],
  };

  it('are imported where they belong, and nowhere else', () => {
    const stray = packages.filter(
      ({ from, to }) => !(places[to] ?? []).some((place) => from.startsWith(place)),
    );
    expect(stray.map(line)).toEqual([]);
  });
});

function breaches(folder: string, allowed: readonly string[]): readonly string[] {
  return own
    .filter(({ from, to }) => from.startsWith(folder) && !allowed.some((place) => to.startsWith(place)))
    .map(line);
}

function foldersUnder(folder: string): readonly string[] {
  const names = filesUnder(folder, ['.ts']).map(({ path }) => path.slice(folder.length).split('/')[0] ?? '');
  return [...new Set(names)].map((name) => `${folder}${name}/`);
}

function line({ from, to }: Import): string {
  return `${from} -> ${to}`;
}
