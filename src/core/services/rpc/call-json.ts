import type { DescMessage } from '@bufbuild/protobuf';
import { base64 } from '../../kernel/bytes.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { decodeMessage, messageJson } from './codec.ts';
import { findMethod, type Descriptors } from './descriptors.ts';
import type { Headers } from './events.ts';
import { methodParts, type CallRecord } from './history.ts';

/**
 * A call as administration shows it, without its time. Messages are read with the descriptors that are given; one that
 * they do not fit, or that they do not know, is `{"$bytes": base64}`.
 */
export function callJson(call: CallRecord, descriptors: Descriptors): JsonObject {
  const method = findMethod(descriptors, call.method);
  const { end, stub } = call;
  return {
    seq: call.seq,
    ...methodParts(call.method),
    session: call.session,
    ...(stub !== undefined && { stubId: stub }),
    requests: call.requests.toArray().map((bytes) => encodedJson(bytes, method?.input, descriptors)),
    responses: call.responses.toArray().map((bytes) => encodedJson(bytes, method?.output, descriptors)),
    responseHeaders: joinedHeaders([...call.responseHeaders, ...(end?.trailers ?? [])]),
    ...(end !== undefined && { code: end.code, error: end.message, elapsedMs: end.at - call.openedAt }),
  };
}

/** An encoded message as JSON, as far as it can be read. */
export function encodedJson(
  bytes: Uint8Array,
  desc: DescMessage | undefined,
  descriptors: Descriptors,
): Json {
  const decoded = desc === undefined ? undefined : decodeMessage(desc, bytes);
  if (desc === undefined || decoded?.ok !== true) return { $bytes: base64(bytes) };
  return messageJson(decoded.message, desc, descriptors);
}

/** Header values by name; several of one name are joined with `;`. */
export function joinedHeaders(headers: Headers): JsonObject {
  const joined = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const values = joined.get(name) ?? [];
    // Headers come again as trailers when a call fails.
    if (!values.includes(value)) joined.set(name, [...values, value]);
  }
  return Object.fromEntries(Array.from(joined, ([name, values]) => [name, values.join(';')]));
}
