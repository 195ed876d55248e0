import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Headers } from './events.ts';
import type { Stub } from './stub.ts';
import { allStubs, type Stubs } from './stubs.ts';

/** What a call has said so far. */
export interface Query {
  readonly method: DescMethod;
  readonly session: string;
  readonly headers: Headers;
  /** Decoded with `method.input`. */
  readonly messages: readonly Message[];
  /** The client will send nothing more: a script must then be matched to its end. Unary and client-streaming: true. */
  readonly complete?: boolean;
}

export interface Selected {
  readonly stub: Stub;
}

/** The stub that answers, or none. */
export function selectStub(
  stubs: Stubs,
  query: Query,
  available: (stub: Stub) => boolean,
): Selected | undefined {
  const stub = allStubs(stubs).find(
    ({ definition, session }) =>
      definition.method === query.method.name && (session === '' || session === query.session),
  );
  return stub !== undefined && available(stub) ? { stub } : undefined;
}

/** Whether a stub that was chosen for a bidirectional stream still fits with its next message, `index` from 0. */
export function stillMatches(
  _stub: Stub,
  _method: DescMethod,
  _message: Message,
  _index: number,
): 'yes' | 'no' | 'beyond the script' {
  return 'yes';
}
