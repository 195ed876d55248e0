import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const core = fileURLToPath(new URL('../../src/core/', import.meta.url));

/** Of the source of core, comments and all, in the order of the paths: 16 hex digits. */
export function digestOfCore(): string {
  const files = globSync('**/*.ts', { cwd: core })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== 'simulator/reducer-digest.ts')
    .sort();
  const texts = files.map((file) => `${file}\n${readFileSync(core + file, 'utf8')}\n`);
  return hash('sha256', texts.join('')).slice(0, 16);
}

export function reducerDigestText(digest: string): string {
  return [
    '/** Names the reducers of this version: snapshots of others are ignored. `npm run digest` writes it. */',
    `export const reducerDigest = '${digest}';`,
    '',
  ].join('\n');
}
