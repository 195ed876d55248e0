import type { DescMethod } from '@bufbuild/protobuf';
import { base64 } from '../../kernel/bytes.ts';
import { encodeJson, encodeStatus, packAny, type PackedAny } from './codec.ts';
import type { Headers } from './events.ts';
import type { CompiledMessage, CompiledOutput } from './output.ts';
import type { RpcState } from './state.ts';
import { statusCodes } from './status-codes.ts';
import type { HeaderPatterns } from './stub.ts';
import {
  renderJson,
  type CompiledJson,
  type TemplateData,
  type TemplateEnvironment,
} from './templates/compile-json.ts';

/** What a stub's output is rendered in. */
export interface Scene {
  readonly state: RpcState;
  readonly method: DescMethod;
  readonly data: TemplateData;
  readonly environment: TemplateEnvironment;
}

/** What goes out in one step: headers if none went before, a message or the end of the call. */
export interface Reply {
  readonly headers: Headers;
  readonly bytes?: Uint8Array;
  readonly status?: Status;
}

export interface Status {
  readonly code: number;
  readonly message: string;
  readonly trailers: Headers;
}

/** A problem names the place in the stub, and the field or the template there. */
export type Rendered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

const noHeaders: Headers = [];
const emptyMessage = new Uint8Array(0);

/** The message `index` of the output; where there is none, the message with nothing set. */
export function replyOf(output: CompiledOutput, index: number, scene: Scene): Rendered<Reply> {
  const headers = renderHeaders(output.headers, '/output/headers', scene);
  if (!headers.ok) return headers;
  const message = output.messages[index];
  if (message === undefined) return { ok: true, value: { headers: headers.value, bytes: emptyMessage } };
  if (message.endsWith !== undefined) return endOf({ ...output, ...message.endsWith, details: [] }, scene);
  const bytes = renderMessage(message, scene);
  return bytes.ok ? { ok: true, value: { headers: headers.value, bytes: bytes.value } } : bytes;
}

/** The status. Headers are repeated as trailers when it is not OK: clients look there. */
export function endOf(output: CompiledOutput, scene: Scene): Rendered<Reply> {
  const headers = renderHeaders(output.headers, '/output/headers', scene);
  if (!headers.ok) return headers;
  const own = renderHeaders(output.trailers, '/output/trailers', scene);
  if (!own.ok) return own;
  const { code } = output;
  if (code === statusCodes.OK) {
    return {
      ok: true,
      value: { headers: headers.value, status: { code, message: '', trailers: own.value } },
    };
  }
  const error = renderJson(output.error, scene.data, scene.environment);
  if (!error.ok) return { ok: false, problem: `/output/error${error.pointer}: ${error.problem}` };
  // A text goes in, so a text comes out.
  const message = error.value as string;
  const details = detailTrailers(output, message, scene.state);
  if (!details.ok) return details;
  const trailers = [...headers.value, ...own.value, ...details.value];
  return { ok: true, value: { headers: headers.value, status: { code, message, trailers } } };
}

function renderMessage(
  message: CompiledMessage,
  { method, state, data, environment }: Scene,
): Rendered<Uint8Array> {
  if (message.bytes !== undefined) return { ok: true, value: message.bytes };
  const rendered = renderJson(message.json, data, environment);
  if (!rendered.ok)
    return { ok: false, problem: `${message.pointer}${rendered.pointer}: ${rendered.problem}` };
  const encoded = encodeJson(method.output, rendered.value, state.descriptors);
  if (encoded.ok) return { ok: true, value: encoded.bytes };
  return { ok: false, problem: `${message.pointer}${encoded.pointer}: ${encoded.problem}` };
}

/** A value with `;` is several values of its name. */
function renderHeaders(headers: CompiledJson | undefined, pointer: string, scene: Scene): Rendered<Headers> {
  if (headers === undefined) return { ok: true, value: noHeaders };
  const rendered = renderJson(headers, scene.data, scene.environment);
  if (!rendered.ok) return { ok: false, problem: `${pointer}${rendered.pointer}: ${rendered.problem}` };
  // The schema lets header maps hold nothing but strings, and templates give strings.
  const pairs = Object.entries(rendered.value as unknown as HeaderPatterns).flatMap(([name, values]) =>
    values.split(';').map((value) => [name.toLowerCase(), value.trim()] as const),
  );
  return { ok: true, value: pairs };
}

function detailTrailers(output: CompiledOutput, message: string, state: RpcState): Rendered<Headers> {
  if (output.details.length === 0) return { ok: true, value: noHeaders };
  const packed: PackedAny[] = [];
  for (const [index, { type, ...rest }] of output.details.entries()) {
    const any = packAny(type, rest, state.descriptors);
    if (!any.ok) return { ok: false, problem: `/output/details/${index}${any.pointer}: ${any.problem}` };
    packed.push(any.any);
  }
  const status = encodeStatus({ code: output.code, message, details: packed });
  return { ok: true, value: [['grpc-status-details-bin', base64(status)]] };
}
