import type { DescMethod } from '@bufbuild/protobuf';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { parseDurationMs } from '../../kernel/duration.ts';
import { encodeJson } from './codec.ts';
import type { Violation } from './events.ts';
import { statusCodes } from './status-codes.ts';
import type { RpcState } from './state.ts';
import type { HeaderPatterns, Output, Stub } from './stub.ts';
import { compileJson, type CompiledJson } from './templates/compile-json.ts';

/** A stub's output, made ready once: what is static is encoded already, the rest is parsed. */
export interface CompiledOutput {
  readonly delayMs: number;
  /** True when the answer is the list under `stream`, false when it is `data`. */
  readonly isStream: boolean;
  readonly messages: readonly CompiledMessage[];
  /** Absent when the output names none. */
  readonly headers: CompiledJson | undefined;
  readonly trailers: CompiledJson | undefined;
  readonly code: number;
  readonly error: CompiledJson;
  /** For `grpc-status-details-bin`. */
  readonly details: NonNullable<Output['details']>;
}

export interface CompiledMessage {
  /** Encoded once, when the message holds no template. */
  readonly bytes?: Uint8Array;
  readonly json: CompiledJson;
  /** The place in the stub, such as `/output/stream/2`. */
  readonly pointer: string;
  /** From `_gripmock` in the message, with that compatibility: its own delay, and how the call ends in its place. */
  readonly delayMs?: number;
  readonly endsWith?: Pick<CompiledOutput, 'code' | 'error'>;
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
    headers: compiledHeaders(output.headers),
    trailers: state.gripmock ? compiledHeaders(output.trailers) : undefined,
    code: output.code ?? (error === '' ? statusCodes.OK : statusCodes.ABORTED),
    error: compileJson(error),
    details: output.details ?? [],
  };
}

function compiledHeaders(headers: HeaderPatterns | undefined): CompiledJson | undefined {
  return headers === undefined || Object.keys(headers).length === 0 ? undefined : compileJson(headers);
}

function compileMessage(json: Json, method: DescMethod, pointer: string, state: RpcState): CompiledMessage {
  const { control, rest } = state.gripmock ? withoutControl(json) : { control: {}, rest: json };
  const compiled = compileJson(rest);
  const encoded = compiled.isStatic ? encodeJson(method.output, rest, state.descriptors) : undefined;
  return {
    json: compiled,
    pointer,
    ...(encoded?.ok ? { bytes: encoded.bytes } : {}),
    ...compileControl(control),
  };
}

function withoutControl(json: Json): { readonly control: JsonObject; readonly rest: Json } {
  if (!isJsonObject(json)) return { control: {}, rest: json };
  const { _gripmock: control, ...rest } = json;
  return isJsonObject(control) ? { control, rest } : { control: {}, rest: json };
}

function compileControl({ delay, code, error }: JsonObject): Pick<CompiledMessage, 'delayMs' | 'endsWith'> {
  const status = typeof code === 'number' ? code : statusCodes.ABORTED;
  const ends = typeof code === 'number' || typeof error === 'string';
  return {
    ...(typeof delay === 'string' ? { delayMs: parseDurationMs(delay) } : {}),
    ...(ends ? { endsWith: { code: status, error: compileJson(error ?? '') } } : {}),
  };
}
