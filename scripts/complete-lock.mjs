// Completes package-lock.json: a registry mirror may lack the platform packages of other systems, and
// npm then leaves them out of the lock file, after which `npm ci` refuses it. Their versions are known
// from the package that names them as optional, so they are written down here.
// Run after each `npm install`: node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const systems = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  openharmony: 'openharmony',
  win32: 'win32',
};
const processors = {
  x64: 'x64',
  arm64: 'arm64',
  aarch64: 'arm64',
  arm: 'arm',
  armv7: 'arm',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  wasm32: 'wasm32',
};

let added = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${place}/node_modules/${name}`;
    const hoisted = `node_modules/${name}`;
    if (lock.packages[nested] || lock.packages[hoisted] || !/^\d/.test(version)) continue;
    const words = name.split(/[-/]/);
    const os = words.map((word) => systems[word]).find(Boolean);
    const cpu = words
      .map((word) => processors[word] ?? processors[word.replace(/^(arm|linux)/, 'arm')])
      .find(Boolean);
    lock.packages[hoisted] = {
      version,
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...(os ? { os: [os] } : {}),
      ...(cpu ? { cpu: [cpu] } : {}),
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added to the lock file`);
