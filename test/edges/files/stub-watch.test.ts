import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchStubFiles, type StubFilesChange, type StubWatch } from '../../../src/edges/files/stub-watch.ts';

let folder = '';
let watched: StubWatch | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stub-watch-'));
});

afterEach(() => {
  watched?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Watches, and gives what waits until all of the given changes have been reported, in whatever portions. */
function watching(paths: readonly string[]) {
  const seen = new Set<string>();
  let check = (): void => undefined;
  const take = ({ changed, removed }: StubFilesChange): void => {
    for (const file of changed) seen.add(`changed ${name(file)}`);
    for (const file of removed) seen.add(`removed ${name(file)}`);
    check();
  };
  watched = watchStubFiles(paths, take, { settleMs: 5, pollMs: 20 });
  return {
    seen,
    reported: (...wanted: readonly string[]) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (!wanted.every((change) => seen.has(change))) return;
          for (const change of wanted) seen.delete(change);
          resolve();
        };
        check();
      }),
  };
}

/** Resolves when a watch that waits much longer has reported: by then, the others have looked once more. */
async function lookedAgain(): Promise<void> {
  const elsewhere = mkdtempSync(join(tmpdir(), 'stub-watch-'));
  await new Promise<void>((resolve) => {
    const slow = watchStubFiles([elsewhere], () => (slow.close(), resolve()), { settleMs: 50, pollMs: 50 });
    writeFileSync(join(elsewhere, 'sign.yaml'), '1');
  });
  rmSync(elsewhere, { recursive: true });
}

function name(file: string): string {
  return file.replace(`${folder}/`, '');
}

function put(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

test('new, changed and removed files of a folder are reported, also in new folders', async () => {
  put('a.yaml', '1');
  const changes = watching([folder]);
  put('b.json', '1');
  await changes.reported('changed b.json');
  put('a.yaml', '22');
  await changes.reported('changed a.yaml');
  mkdirSync(join(folder, 'new/deep'), { recursive: true });
  put('new/deep/c.yml', '1');
  await changes.reported('changed new/deep/c.yml');
  put('new/deep/c.yml', '22');
  await changes.reported('changed new/deep/c.yml');
  renameSync(join(folder, 'new'), join(folder, 'moved'));
  await changes.reported('removed new/deep/c.yml', 'changed moved/deep/c.yml');
  rmSync(join(folder, 'b.json'));
  await changes.reported('removed b.json');
  expect(changes.seen).toEqual(new Set());
});

test('a file that an editor replaces by another is a changed file', async () => {
  put('a.yaml', '1');
  put('other.yaml', '1');
  const changes = watching([join(folder, 'a.yaml')]);
  for (const text of ['2', '3']) {
    put('a.yaml.new', text);
    renameSync(join(folder, 'a.yaml.new'), join(folder, 'a.yaml'));
    await changes.reported('changed a.yaml');
  }
  put('other.yaml', '2');
  rmSync(join(folder, 'a.yaml'));
  await changes.reported('removed a.yaml');
  expect(changes.seen).toEqual(new Set());
});

test('a path that is not there yet is seen when it comes, and when it comes again', async () => {
  const stubs = join(folder, 'later/stubs');
  const changes = watching([stubs]);
  mkdirSync(stubs, { recursive: true });
  put('later/stubs/a.yaml', '1');
  await changes.reported('changed later/stubs/a.yaml');
  rmSync(join(folder, 'later'), { recursive: true });
  await changes.reported('removed later/stubs/a.yaml');
  mkdirSync(stubs, { recursive: true });
  put('later/stubs/b.yaml', '1');
  await changes.reported('changed later/stubs/b.yaml');
  put('later/stubs/b.yaml', '22');
  await changes.reported('changed later/stubs/b.yaml');
  expect(changes.seen).toEqual(new Set());
});

test.each(['stubs', 'stubs/a.yaml'])(
  'what goes away with its folder and comes back is seen (%s)',
  async (path) => {
    mkdirSync(join(folder, 'stubs'));
    put('stubs/a.yaml', '1');
    const changes = watching([join(folder, path)]);
    for (const text of ['2', '3']) {
      renameSync(join(folder, 'stubs'), join(folder, `gone-${text}`));
      await changes.reported('removed stubs/a.yaml');
      await lookedAgain();
      mkdirSync(join(folder, 'stubs'));
      put('stubs/a.yaml', text);
      await changes.reported('changed stubs/a.yaml');
      await lookedAgain();
      put('stubs/a.yaml', text.repeat(2));
      await changes.reported('changed stubs/a.yaml');
    }
    expect(changes.seen).toEqual(new Set());
  },
);

test('files of other kinds are not reported', async () => {
  const changes = watching([folder]);
  put('note.md', '1');
  put('.hidden.yaml', '1');
  put('a.yaml', '1');
  await changes.reported('changed a.yaml');
  expect(changes.seen).toEqual(new Set());
});

test('after closing nothing is reported', async () => {
  const first = watching([folder]);
  watched?.close();
  put('a.yaml', '1');
  // Whoever watches the same folder from now on hears of the next change; the closed one has heard of neither.
  const second = watching([folder]);
  put('b.yaml', '1');
  await second.reported('changed b.yaml');
  expect(first.seen).toEqual(new Set());
});
