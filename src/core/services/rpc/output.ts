import type { DescMethod } from '@bufbuild/protobuf';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { parseDurationMs } from '../../kernel/duration.ts';
import { base64 } from '../../kernel/bytes.ts';
import { encodeJson, encodeStatus, packAny, type PackedAny } from './codec.ts';
import type { Headers, Violation } from './events.ts';
import { statusCodes } from './status-codes.ts';
import type { RpcState } from './state.ts';
import type { HeaderPatterns, Output, Stub } from './stub.ts';
import {
  compileJson,
  renderJson,
  type CompiledJson,
  type TemplateData,
  type TemplateEnvironment,
} from './templates/compile-json.ts';

/** A stub's output, made ready once: what is static is encoded already, the rest is parsed. */
export interface CompiledOutput {
  readonly delayMs: number;
  /** True when the answer is the list under `stream`, false when it is `data`. */
  readonly isStream: boolean;
  readonly messages: readonly CompiledMessage[];
  readonly headers: CompiledJson;
  readonly trailers: CompiledJson;
  readonly noHeaders: boolean;
  readonly code: number;
  readonly error: CompiledJson;
  /** The value of `grpc-status-details-bin` less the message, encoded when a call asks for it. */
  readonly details: NonNullable<Output['details']>;
}

export interface CompiledMessage {
  /** Encoded once, when the message holds no template. */
  readonly bytes?: Uint8Array;
  readonly json: CompiledJson;
  /** The place in the stub, such as `/output/stream/2`. */
  readonly pointer: string;
  /** From `_gripmock` in the message. */
  readonly control?: MessageControl;
}

/** What a message of a stream says of itself, with the `gripmock` compatibility. */
export interface MessageControl {
  readonly delayMs?: number;
  readonly code?: number;
  readonly error?: string;
}

const compiledOutputs = new WeakMap<Stub, Map<DescMethod, CompiledOutput>>();

/** The output of `stub` for `method`; the same value each time, so that it is compiled once. */
export function compiledOutput(stub: Stub, method: DescMethod, state: RpcState): CompiledOutput {
  let byMethod = compiledOutputs.get(stub);
  if (byMethod === undefined) compiledOutputs.set(stub, (byMethod = new Map()));
  let output = byMethod.get(method);
  if (output === undefined) byMethod.set(method, (output = compileOutput(stub, method, state)));
  return output;
}

/** What of the output can be seen, before any call, not to fit the method's response message. */
export function outputViolations(stub: Stub, method: DescMethod, state: RpcState): readonly Violation[] {
  return compiledOutput(stub, method, state).messages.flatMap((message): readonly Violation[] => {
    if (message.bytes !== undefined || !message.json.isStatic) return [];
    const encoded = encodeJson(method.output, message.json.source, state.descriptors);
    return encoded.ok ? [] : [{ pointer: message.pointer + encoded.pointer, message: encoded.problem }];
  });
}

function compileOutput(stub: Stub, method: DescMethod, state: RpcState): CompiledOutput {
  const { output } = stub.definition;
  const isStream = output.stream !== undefined;
  const data = output.data === undefined ? [] : [output.data];
  const messages = (output.stream ?? data).map((json, index) =>
    compileMessage(json, method, isStream ? `/output/stream/${index}` : '/output/data', state),
  );
  const error = output.error ?? '';
  return {
    delayMs: output.delay === undefined ? 0 : parseDurationMs(output.delay),
    isStream,
    messages,
    headers: compileJson(output.headers ?? {}),
    trailers: compileJson((state.gripmock ? output.trailers : undefined) ?? {}),
    noHeaders: Object.keys(output.headers ?? {}).length === 0,
    code: output.code ?? (error === '' ? statusCodes.OK : statusCodes.ABORTED),
    error: compileJson(error),
    details: output.details ?? [],
  };
}

function compileMessage(json: Json, method: DescMethod, pointer: string, state: RpcState): CompiledMessage {
  const { control, rest } = state.gripmock ? withoutControl(json) : { control: undefined, rest: json };
  const compiled = compileJson(rest);
  const encoded = compiled.isStatic ? encodeJson(method.output, rest, state.descriptors) : undefined;
  return {
    json: compiled,
    pointer,
    ...(encoded?.ok ? { bytes: encoded.bytes } : {}),
    ...(control === undefined ? {} : { control }),
  };
}

function withoutControl(json: Json): { readonly control: MessageControl | undefined; readonly rest: Json } {
  if (!isJsonObject(json) || !isJsonObject(json['_gripmock'])) return { control: undefined, rest: json };
  const { _gripmock: control, ...rest } = json;
  const { delay, code, error } = control as { delay?: Json; code?: Json; error?: Json };
  return {
    rest,
    control: {
      ...(typeof delay === 'string' ? { delayMs: parseDurationMs(delay) } : {}),
      ...(typeof code === 'number' ? { code } : {}),
      ...(typeof error === 'string' ? { error } : {}),
    },
  };
}

export type Rendered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** One encoded message. The problem names the field or the template. */
export function renderMessage(
  message: CompiledMessage,
  method: DescMethod,
  state: RpcState,
  data: TemplateData,
  environment: TemplateEnvironment,
): Rendered<Uint8Array> {
  if (message.bytes !== undefined) return { ok: true, value: message.bytes };
  const rendered = renderJson(message.json, data, environment);
  if (!rendered.ok)
    return { ok: false, problem: `${message.pointer}${rendered.pointer}: ${rendered.problem}` };
  const encoded = encodeJson(method.output, rendered.value, state.descriptors);
  if (encoded.ok) return { ok: true, value: encoded.bytes };
  return { ok: false, problem: `${message.pointer}${encoded.pointer}: ${encoded.problem}` };
}

/** An output of a method that answers with one message and names no data: the message with nothing set. */
export const emptyMessage: Uint8Array = new Uint8Array(0);

/** Header pairs; a value with `;` is several values of its name. */
export function renderHeaders(
  headers: CompiledJson,
  pointer: string,
  data: TemplateData,
  environment: TemplateEnvironment,
): Rendered<Headers> {
  const rendered = renderJson(headers, data, environment);
  if (!rendered.ok) return { ok: false, problem: `${pointer}${rendered.pointer}: ${rendered.problem}` };
  return { ok: true, value: headerPairs(rendered.value as unknown as HeaderPatterns) };
}

function headerPairs(headers: HeaderPatterns): Headers {
  return Object.entries(headers).flatMap(([name, values]) =>
    values.split(';').map((value) => [name.toLowerCase(), value.trim()] as const),
  );
}

/** What the client is told at the end. */
export interface RenderedStatus {
  readonly code: number;
  readonly message: string;
  /** `grpc-status-details-bin`, when the output has details. */
  readonly trailers: Headers;
}

export function renderStatus(
  output: CompiledOutput,
  state: RpcState,
  data: TemplateData,
  environment: TemplateEnvironment,
): Rendered<RenderedStatus> {
  const { code } = output;
  if (code === statusCodes.OK) return { ok: true, value: { code, message: '', trailers: [] } };
  const error = renderJson(output.error, data, environment);
  if (!error.ok) return { ok: false, problem: `/output/error: ${error.problem}` };
  const message = String(error.value);
  if (output.details.length === 0) return { ok: true, value: { code, message, trailers: [] } };
  const packed = packDetails(output.details, state);
  if (!packed.ok) return packed;
  const status = base64(encodeStatus({ code, message, details: packed.value }));
  return { ok: true, value: { code, message, trailers: [['grpc-status-details-bin', status]] } };
}

function packDetails(details: CompiledOutput['details'], state: RpcState): Rendered<readonly PackedAny[]> {
  const packed: PackedAny[] = [];
  for (const [index, { type, ...rest }] of details.entries()) {
    const any = packAny(type, rest, state.descriptors);
    if (!any.ok) return { ok: false, problem: `/output/details/${index}${any.pointer}: ${any.problem}` };
    packed.push(any.any);
  }
  return { ok: true, value: packed };
}
