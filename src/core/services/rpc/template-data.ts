import type { DescMethod } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { decodeMessage, templateJson } from './codec.ts';
import type { OpenCall, RpcState } from './state.ts';
import type { Stub } from './stub.ts';
import type { TemplateData } from './templates/compile-json.ts';

/** What templates see of a call. Messages are turned into JSON only when a template asks for them. */
export class CallTemplateData implements TemplateData {
  readonly #state: RpcState;
  readonly #method: DescMethod;
  readonly #call: OpenCall;
  readonly #stub: Stub;
  #request: JsonObject | undefined;
  #requests: readonly JsonObject[] | undefined;
  readonly MessageIndex: number;

  constructor(state: RpcState, method: DescMethod, call: OpenCall, stub: Stub, messageIndex: number) {
    this.#state = state;
    this.#method = method;
    this.#call = call;
    this.#stub = stub;
    this.MessageIndex = messageIndex;
  }

  get Request(): JsonObject {
    const bytes = this.#call.received.get(this.MessageIndex);
    return (this.#request ??= requestJson(this.#state, this.#method, bytes));
  }

  get Requests(): readonly JsonObject[] {
    const { received } = this.#call;
    return (this.#requests ??= Array.from(received, (bytes) =>
      requestJson(this.#state, this.#method, bytes),
    ));
  }

  get Headers(): Readonly<Record<string, string>> {
    return joinedHeaders(this.#call);
  }

  get RequestTime(): number {
    return this.#call.openedAt;
  }

  get StubID(): string {
    return this.#stub.id;
  }

  get AttemptNumber(): number {
    return this.#call.attempt;
  }

  get MaxAttempts(): number {
    return this.#stub.definition.options?.times ?? 0;
  }

  get Session(): string {
    return this.#call.session;
  }
}

function requestJson(state: RpcState, method: DescMethod, bytes: Uint8Array | undefined): JsonObject {
  const decoded = bytes === undefined ? undefined : decodeMessage(method.input, bytes);
  if (!decoded?.ok) return {};
  const json = templateJson(decoded.message, method.input, state.descriptors);
  // A well-known type may be a bare value in JSON; templates then find it under the name of the wrappers' field.
  return isJsonObject(json) ? json : { value: json };
}

function joinedHeaders(call: OpenCall): Readonly<Record<string, string>> {
  const joined = Object.create(null) as Record<string, string>;
  for (const [name, value] of call.headers) {
    const key = name.toLowerCase();
    joined[key] = joined[key] === undefined ? value : `${joined[key]};${value}`;
  }
  return joined;
}
