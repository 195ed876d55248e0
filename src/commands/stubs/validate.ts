import { emptyWorld } from '../../core/simulator/world.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { count } from '../reading/entry-story.ts';
import { fileLoaded, rehearsed, violationsOf, warningsOf } from '../serving/loading.ts';
import { readSources } from '../serving/sources.ts';
import { tellWarnings } from '../serving/tell-warnings.ts';
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
  const entries = rehearsed(world, [...descriptors, ...stubFiles.map(fileLoaded)]);
  const violations = entries.flatMap(violationsOf);
  if (violations.length > 0) throw invalidStubs(violations);
  const stubs = stubFiles.reduce((sum, file) => sum + file.definitions.length, 0);
  // Without descriptors every service is unknown, which is no news.
  const warnings = descriptors.length === 0 ? [] : entries.flatMap(warningsOf);
  if (options.json === true) {
    terminal.line(JSON.stringify({ ok: true, files: stubFiles.length, stubs, warnings }));
    return;
  }
  tellWarnings(warnings, terminal);
  const verdict = warnings.length === 0 ? 'nothing to complain about' : count(warnings.length, 'warning');
  terminal.line(`${count(stubs, 'stub')} in ${count(stubFiles.length, 'file')}: ${verdict}`);
}
