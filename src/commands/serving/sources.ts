import type { DescriptorsLoaded } from '../../core/services/rpc/events.ts';
import { loadStubFiles, type StubFile } from '../../edges/files/stub-files.ts';
import { CommandFailure } from '../command-failure.ts';
import { listed } from './violations.ts';

export interface Sources {
  readonly descriptors: readonly DescriptorsLoaded[];
  readonly stubFiles: readonly StubFile[];
}

export interface SourceOptions {
  readonly proto?: readonly string[];
  readonly importPath?: readonly string[];
  readonly stubs?: readonly string[];
  readonly compat?: 'gripmock';
}

/** Reads all files that are named. Rejects with all problems of all of them at once. */
export function readSources(options: SourceOptions): Sources {
  const stubs = loadStubFiles(options.stubs ?? [], {
    compat: options.compat === undefined ? [] : [options.compat],
  });
  if (!stubs.ok) throw new CommandFailure(listed('stub', stubs.problems), { code: 'DT_STUB_INVALID' });
  return { descriptors: [], stubFiles: stubs.files };
}
