import { utf8 } from '../../kernel/bytes.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { StubsLoaded } from './events.ts';
import { maskStubCredentials } from './stub-credentials.ts';
import type { StubDefinition, StubSource } from './stub.ts';

export interface StubsLoad {
  readonly definitions: readonly StubDefinition[];
  readonly source: StubSource;
  /** Where each definition begins in its file; counts from 1. */
  readonly lines?: readonly number[];
  /** Drop what the same file gave before and no longer gives; needs `source.file`. */
  readonly replacesFile?: boolean;
  /** For definitions that name no session; the empty session is everyone. */
  readonly session?: string;
}

/** The input that loads valid definitions, with their credentials masked. */
export function stubsLoadedInput(load: StubsLoad): StubsLoaded {
  return {
    kind: 'StubsLoaded',
    source: load.source,
    ...(load.lines !== undefined && { lines: load.lines }),
    replacesFile: load.replacesFile ?? false,
    session: load.session ?? '',
    bytes: utf8(canonicalJson(load.definitions.map(maskStubCredentials))),
  };
}
