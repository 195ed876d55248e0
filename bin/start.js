// Runs the built program; in a checkout whose build is missing or older than the source, the source itself.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

const source = new URL('../src/', import.meta.url);
const build = new URL('../dist/main.js', import.meta.url);

enableCompileCache();
const { main } = await import(isBuildCurrent() ? build.href : new URL('main.ts', source).href);
await main(process.argv.slice(2));

function isBuildCurrent() {
  if (!existsSync(source)) return true;
  if (!existsSync(build)) return false;
  const builtAt = statSync(build).mtimeMs;
  return readdirSync(source, { recursive: true, withFileTypes: true }).every(
    (entry) => !entry.isFile() || statSync(`${entry.parentPath}/${entry.name}`).mtimeMs <= builtAt,
  );
}
