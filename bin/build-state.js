import { existsSync, readdirSync, statSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const build = new URL('dist/main.js', root);
const sources = ['src/', 'schemas/'].map((folder) => new URL(folder, root));

/** Where the built program is. */
export const builtProgram = build.href;
/** Where the program is in a checkout, as its authors wrote it. */
export const sourceProgram = new URL('src/main.ts', root).href;

/** True unless this is a checkout whose build is missing or older than the newest source file. */
export function isBuildCurrent() {
  if (!existsSync(new URL(sourceProgram))) return true;
  if (!existsSync(build)) return false;
  const builtAt = statSync(build).mtimeMs;
  return sources.every((folder) => isOlder(folder, builtAt));
}

/** Folders count too: they change when a file goes away. */
function isOlder(folder, at) {
  return (
    statSync(folder).mtimeMs <= at &&
    readdirSync(folder, { recursive: true, withFileTypes: true }).every(
      (entry) => statSync(`${entry.parentPath}/${entry.name}`).mtimeMs <= at,
    )
  );
}
