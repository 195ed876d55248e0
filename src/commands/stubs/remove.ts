import type { Terminal } from '../../edges/terminal/terminal.ts';
import { usageFailure } from '../command-failure.ts';
import { count } from '../reading/entry-story.ts';
import { runningClient, type RunningOptions } from '../running.ts';

interface RemoveOptions extends RunningOptions {
  readonly all?: boolean;
  readonly session?: string;
}

export async function removeStubs(
  ids: readonly string[],
  options: RemoveOptions,
  terminal: Terminal,
): Promise<void> {
  if (ids.length > 0 === (options.all === true)) {
    throw usageFailure('expected the ids of stubs, or --all', 'doubletake stub list shows the ids.');
  }
  const client = runningClient(options, options.session);
  const answer =
    options.all === true
      ? await client.request('DELETE', '/api/stubs')
      : await client.request('POST', '/api/stubs/batchDelete', ids);
  if (options.json === true) terminal.line(JSON.stringify(answer ?? {}));
  else terminal.line(options.all === true ? 'all stubs removed' : `${count(ids.length, 'stub')} removed`);
}
