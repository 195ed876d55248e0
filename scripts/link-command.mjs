// Puts `doubletake` into node_modules/.bin of the checkout, as npm does for packages that are installed: so
// `npx doubletake` starts at once, and finds the Node of the checkout first on its path.
import { existsSync, rmSync, symlinkSync } from 'node:fs';

const place = new URL('../node_modules/.bin/', import.meta.url);

// Absent when somebody packs or installs without the development packages.
if (existsSync(place)) {
  rmSync(new URL('doubletake', place), { force: true });
  if (process.platform !== 'win32') symlinkSync('../../bin/doubletake.js', new URL('doubletake', place));
}
