// What npm runs after `npm ci` in a checkout. It builds unless the build is current: npx runs this too, when it is used in a
// checkout for the first time, and should not wait for what is there already.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { isBuildCurrent } from '../bin/build-state.js';

linkCommand();
if (!isBuildCurrent()) {
  const { status } = spawnSync('npm', ['run', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}

/** Puts `doubletake` among the commands of the checkout, as npm does for packages that are installed. */
function linkCommand() {
  const place = new URL('../node_modules/.bin/', import.meta.url);
  if (!existsSync(place) || process.platform === 'win32') return;
  rmSync(new URL('doubletake', place), { force: true });
  symlinkSync('../../bin/doubletake.js', new URL('doubletake', place));
}
