import type { DescriptorsLoaded, Violation } from '../../core/services/rpc/events.ts';
import { loadProtoSources } from '../../edges/files/proto-sources.ts';
import { loadStubFiles, type StubFile } from '../../edges/files/stub-files.ts';
import { CommandFailure } from '../command-failure.ts';
import { listed } from './violations.ts';

export interface Sources {
  /** One input for all of them, or none. */
  readonly descriptors: readonly DescriptorsLoaded[];
  readonly stubFiles: readonly StubFile[];
}

export interface SourceOptions {
  readonly proto?: readonly string[];
  readonly importPath?: readonly string[];
  readonly stubs?: readonly string[];
  readonly compat?: 'gripmock';
}

/** Reads all files that are named. Throws with all problems of all of them at once. */
export function readSources({ proto = [], importPath = [], stubs = [], compat }: SourceOptions): Sources {
  const protos = loadProtoSources({ paths: proto, importPaths: importPath });
  const loaded = loadStubFiles(stubs, { compat: compat === undefined ? [] : [compat] });
  const protoProblems = protos.ok ? [] : protos.problems.map(violationOf);
  const stubProblems = loaded.ok ? [] : loaded.problems;
  if (!protos.ok || !loaded.ok) throw unreadable(protoProblems, stubProblems);
  const isEmpty = protos.files.length === 0;
  return {
    descriptors: isEmpty ? [] : [{ kind: 'DescriptorsLoaded', source: proto.join(', '), bytes: protos.set }],
    stubFiles: loaded.files,
  };
}

function violationOf({ file, line, message }: { file: string; line?: number; message: string }): Violation {
  return { file, ...(line === undefined ? {} : { line }), pointer: '', message };
}

function unreadable(protos: readonly Violation[], stubs: readonly Violation[]): CommandFailure {
  const lists = [
    ...(protos.length === 0 ? [] : [listed('.proto', protos)]),
    ...(stubs.length === 0 ? [] : [listed('stub', stubs)]),
  ];
  return new CommandFailure(lists.join('\n'), {
    code: stubs.length === 0 ? 'DT_PROTO_INVALID' : 'DT_STUB_INVALID',
  });
}
