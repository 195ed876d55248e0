import { loadStubFiles } from '../../edges/files/stub-files.ts';
import type { Terminal } from '../../edges/terminal/terminal.ts';
import { count } from '../reading/entry-story.ts';
import { runningClient, type RunningOptions } from '../running.ts';
import { invalidStubs } from '../serving/violations.ts';

/** Reads the files here, so that problems name file and line, and sends what they hold. */
export async function loadStubs(
  paths: readonly string[],
  options: RunningOptions & { readonly session?: string },
  terminal: Terminal,
): Promise<void> {
  const loaded = loadStubFiles(paths, { compat: ['gripmock'] });
  if (!loaded.ok) throw invalidStubs(loaded.problems);
  const definitions = loaded.files.flatMap((file) => file.definitions);
  const answer = await runningClient(options, options.session).request('POST', '/api/stubs', definitions);
  if (options.json === true) terminal.line(JSON.stringify(answer));
  else
    terminal.line(`${count(definitions.length, 'stub')} loaded from ${count(loaded.files.length, 'file')}`);
}
