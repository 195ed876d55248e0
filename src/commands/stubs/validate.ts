import { emptyWorld } from '../../core/simulator/world.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { count } from '../reading/entry-story.ts';
import { fileLoaded, refusalsOf } from '../serving/loading.ts';
import { readSources } from '../serving/sources.ts';
import { invalidStubs } from '../serving/violations.ts';
import type { ValidateOptions } from '../stub.ts';

/** Checks files as `serve` would when it starts; without descriptors, all but whether answers fit their messages. */
export function validateStubFiles(
  paths: readonly string[],
  options: ValidateOptions,
  terminal: Terminal,
): void {
  const { descriptors, stubFiles } = readSources({ ...options, stubs: paths });
  const world = emptyWorld({
    format: 0,
    seed: '',
    clock: { mode: 'virtual', startAt: 0 },
    reducerDigest: '',
    compat: options.compat === undefined ? [] : [options.compat],
  });
  const violations = refusalsOf(world, [...descriptors, ...stubFiles.map(fileLoaded)]);
  if (violations.length > 0) throw invalidStubs(violations);
  const stubs = stubFiles.reduce((sum, file) => sum + file.definitions.length, 0);
  if (options.json === true) terminal.line(JSON.stringify({ ok: true, files: stubFiles.length, stubs }));
  else
    terminal.line(`${count(stubs, 'stub')} in ${count(stubFiles.length, 'file')}: nothing to complain about`);
}
