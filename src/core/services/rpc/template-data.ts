import type { DescMethod } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { decodeMessage, messageJson } from './codec.ts';
import type { OpenCall, RpcState } from './state.ts';
import type { Stub } from './stub.ts';
import type { TemplateData } from './templates/compile-json.ts';

/** What templates see of a call. Messages are turned into JSON only when a template asks for them. */
export function templateData(
  state: RpcState,
  method: DescMethod,
  call: OpenCall,
  stub: Stub,
  messageIndex: number,
): TemplateData {
  return {
    get Request() {
      return requestJson(state, method, call.received.get(messageIndex));
    },
    get Requests() {
      return Array.from(call.received, (bytes) => requestJson(state, method, bytes));
    },
    get Headers() {
      return joinedHeaders(call);
    },
    MessageIndex: messageIndex,
    RequestTime: call.openedAt,
    StubID: stub.id,
    AttemptNumber: call.attempt,
    MaxAttempts: stub.definition.options?.times ?? 0,
    Session: call.session,
  };
}

function requestJson(state: RpcState, method: DescMethod, bytes: Uint8Array | undefined): JsonObject {
  const decoded = bytes === undefined ? undefined : decodeMessage(method.input, bytes);
  if (!decoded?.ok) return {};
  const json = messageJson(decoded.message, method.input, state.descriptors);
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
