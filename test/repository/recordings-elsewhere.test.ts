import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/check-recordings.ts', import.meta.url));

/** What the check of the recordings says as a process of its own: digests, and what differs from what is kept. */
function checked(
  environment: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...flags, script, '--json'], { env }, (error, stdout, stderr) => {
      // A difference from what is kept is for `recordings.test.ts` to tell; here all have to say the same.
      if (error === null || error.code === exitDiffers) resolve(stdout);
      else reject(new Error(stderr, { cause: error }));
    });
  });
}

const exitDiffers = 3;
let here: string;

beforeAll(async () => {
  here = await checked({ TZ: 'UTC', LANG: 'C' });
});

// Times off by parts of an hour, on the other side of the date line, with summer time; dotless i, right to left, digits of
// their own, another order of letters.
it.each([
  ['Asia/Kathmandu', 'tr_TR.UTF-8'],
  ['Pacific/Chatham', 'ar_EG.UTF-8'],
  ['America/St_Johns', 'lt_LT.UTF-8'],
])('folding, deciding and recording give the same digests in %s with %s', async (zone, locale) => {
  expect(await checked({ TZ: zone, LANG: locale, LC_ALL: locale, LANGUAGE: locale })).toBe(here);
});

it('the environment, its order and the folder of temporary files make no difference', async () => {
  const names = [
    'SEED',
    'HOME',
    'USER',
    'DOUBLETAKE_ADMIN_TOKEN',
    'NO_COLOR',
    'TMPDIR',
    'LC_NUMERIC',
    'HOSTNAME',
  ];
  const environment = Object.fromEntries(names.reverse().map((name, index) => [name, `value-${index}`]));
  expect(await checked(environment)).toBe(here);
});

it('neither does how the engine seeds its hash tables and its own chance, nor that it does not compile', async () => {
  expect(await checked({}, ['--hash-seed=42', '--random-seed=7'])).toBe(here);
  expect(await checked({}, ['--max-lazy', '--no-opt', '--no-sparkplug'])).toBe(here);
});
