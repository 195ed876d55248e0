import { fingerprint, isCredentialHeader } from '../../src/core/kernel/credentials.ts';
import type { Json } from '../../src/core/kernel/json.ts';
import { encodeJson } from '../../src/core/services/rpc/codec.ts';
import { findMethod } from '../../src/core/services/rpc/descriptors.ts';
import type { Headers } from '../../src/core/services/rpc/events.ts';
import type { StubDefinition } from '../../src/core/services/rpc/stub.ts';
import { stubsLoadedInput } from '../../src/core/services/rpc/stubs-loaded.ts';
import type { Input, LogEntry } from '../../src/core/simulator/events.ts';
import { submitted, type Simulator } from '../../src/core/simulator/simulator.ts';
import { loadProtoSources } from '../../src/edges/files/proto-sources.ts';
import { loadStubFiles } from '../../src/edges/files/stub-files.ts';

const root = new URL('../../', import.meta.url).pathname;

export interface CallOptions {
  readonly session?: string;
  /** In the order of the wire; credentials become fingerprints, as an edge makes them. */
  readonly headers?: Headers;
  readonly timeoutMs?: number;
}

/** Does to a simulator what edges and people do to it, one thing after the other. Paths are relative to the repository. */
export class Recorder {
  readonly simulator: Simulator;

  constructor(simulator: Simulator) {
    this.simulator = simulator;
  }

  submit(input: Input): Promise<LogEntry> {
    return submitted(this.simulator, input);
  }

  async loadProtos(folder: string): Promise<void> {
    const loaded = loadProtoSources({ paths: [root + folder], importPaths: [] });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    await this.submit({ kind: 'DescriptorsLoaded', source: folder, bytes: loaded.set });
  }

  async loadStubFiles(folder: string): Promise<void> {
    const loaded = loadStubFiles([root + folder], { compat: [] });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    for (const { file, lines, definitions } of loaded.files) {
      const source = { from: 'file' as const, file: file.slice(root.length) };
      await this.submit(stubsLoadedInput({ definitions, lines, source, replacesFile: true }));
    }
  }

  async loadStubs(definitions: readonly StubDefinition[], session = ''): Promise<void> {
    await this.submit(stubsLoadedInput({ definitions, source: { from: 'api' }, session }));
  }

  /** A unary or server-streaming call: `package.Service/Method` and its one message. */
  call(method: string, message: Json, options: CallOptions = {}): Promise<LogEntry> {
    return this.submit({ ...this.#opened(method, options), bytes: this.encode(method, message) });
  }

  /** A call on which the client streams. */
  async converse(method: string, options: CallOptions = {}): Promise<Conversation> {
    const { seq: call } = await this.submit(this.#opened(method, options));
    return {
      say: (message) => this.submit({ kind: 'MessageReceived', call, bytes: this.encode(method, message) }),
      finish: () => this.submit({ kind: 'CallHalfClosed', call }),
      cancel: (reason) => this.submit({ kind: 'CallCancelled', call, reason }),
    };
  }

  async pass(ms: number): Promise<void> {
    await this.simulator.runTo(this.simulator.world().at + ms);
  }

  encode(method: string, message: Json): Uint8Array {
    const { descriptors } = this.simulator.world().rpc;
    const desc = findMethod(descriptors, `/${method}`);
    if (desc === undefined) throw new Error(`there is no method ${method}`);
    const encoded = encodeJson(desc.input, message, descriptors);
    if (!encoded.ok) throw new Error(`${method}: ${encoded.pointer}: ${encoded.problem}`);
    return encoded.bytes;
  }

  #opened(method: string, { session = '', headers = [], timeoutMs }: CallOptions) {
    const named: Headers = session === '' ? [] : [['x-doubletake-session', session]];
    const logged = [...headers, ...named].map(
      ([name, value]) => [name, isCredentialHeader(name) ? fingerprint(value) : value] as const,
    );
    return {
      kind: 'CallOpened' as const,
      method: `/${method}`,
      session,
      headers: logged,
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
  }
}

export interface Conversation {
  say(message: Json): Promise<LogEntry>;
  finish(): Promise<LogEntry>;
  cancel(reason: 'client' | 'deadline' | 'shutdown'): Promise<LogEntry>;
}
