import type { Input } from '../../core/simulator/events.ts';
import type { Simulator } from '../../core/simulator/simulator.ts';
import { loadStubFiles } from '../../edges/files/stub-files.ts';
import { watchStubFiles, type StubFilesChange } from '../../edges/files/stub-watch.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { count } from '../reading/entry-story.ts';
import { fileLoaded, refusalsOf, takeIn } from './loading.ts';
import type { ServeOptions } from './options.ts';
import { listed } from './violations.ts';

/** Loads stub files again when they change. A file with a problem is reported, and its old stubs stay. */
export function watchStubs(simulator: Simulator, options: ServeOptions, terminal: Terminal): () => void {
  const watch = watchStubFiles(options.stubs ?? [], (change) => {
    reload(simulator, change, options).then(
      (told) => terminal.note(told),
      (error: unknown) => terminal.note(error instanceof Error ? error.message : String(error)),
    );
  });
  return () => watch.close();
}

async function reload(simulator: Simulator, change: StubFilesChange, options: ServeOptions): Promise<string> {
  const loaded = loadStubFiles(change.changed, {
    compat: options.compat === undefined ? [] : [options.compat],
  });
  if (!loaded.ok) return `${listed('stub', loaded.problems)}\nthe stubs that were loaded stay as they are`;
  const inputs: readonly Input[] = [
    ...change.removed.map((file): Input => ({ kind: 'StubsRemoved', file })),
    ...loaded.files.map(fileLoaded),
  ];
  const refusals = refusalsOf(simulator.world(), inputs);
  if (refusals.length > 0) return `${listed('stub', refusals)}\nthe stubs that were loaded stay as they are`;
  await takeIn(simulator, inputs);
  const stubs = loaded.files.reduce((sum, file) => sum + file.definitions.length, 0);
  const gone = change.removed.length === 0 ? '' : `, ${count(change.removed.length, 'file')} gone`;
  return `${count(stubs, 'stub')} loaded again from ${count(loaded.files.length, 'file')}${gone}`;
}
