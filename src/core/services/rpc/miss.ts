import type { DescMethod, Message } from '@bufbuild/protobuf';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { Json } from '../../kernel/json.ts';
import { decodeMessage, messageJson } from './codec.ts';
import type { Headers } from './events.ts';
import { closestStub } from './selection.ts';
import type { OpenCall, RpcState } from './state.ts';
import type { Stub, StubDefinition } from './stub.ts';

/** Of a request in the text of a miss; the log has all of it. */
export const missRequestCharsMax = 16 * 1024;

/**
 * What a client reads when no stub answers its call: the request as the matcher saw it, and the stub that came
 * closest with its rules. Blocks are separated by an empty line.
 */
export function missMessage(state: RpcState, method: DescMethod, call: OpenCall): string {
  const messages = decodeAll(method, call);
  const closest = closestStub(state.stubs, {
    method,
    session: call.session,
    headers: call.headers,
    messages,
    complete: call.halfClosed,
  });
  return [
    'No matching stub found',
    `Service: ${method.parent.typeName}\nMethod: ${method.name}`,
    ...requestHeaders(call.headers),
    requestInput(state, method, messages),
    closest === undefined ? 'No similar stubs found.' : closestMatch(closest),
  ].join('\n\n');
}

function decodeAll(method: DescMethod, call: OpenCall): readonly Message[] {
  return call.received.toArray().flatMap((bytes) => {
    const decoded = decodeMessage(method.input, bytes);
    return decoded.ok ? [decoded.message] : [];
  });
}

/** Headers that the transport makes; they can be matched, and are left out of texts. */
export function isTransportHeader(name: string): boolean {
  return name.startsWith(':') || name.startsWith('grpc-') || transportHeaders.has(name);
}

const transportHeaders: ReadonlySet<string> = new Set(['content-type', 'te', 'user-agent']);

function requestHeaders(headers: Headers): readonly string[] {
  const shown = new Map<string, string>();
  for (const [name, value] of headers) {
    if (isTransportHeader(name)) continue;
    const before = shown.get(name);
    shown.set(name, before === undefined ? value : `${before};${value}`);
  }
  if (shown.size === 0) return [];
  return [`Request headers:\n${indentedJson(Object.fromEntries(shown))}`];
}

function requestInput(state: RpcState, method: DescMethod, messages: readonly Message[]): string {
  const texts = messages.map((message) =>
    indentedJson(messageJson(message, method.input, state.descriptors)),
  );
  const isStream = method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming';
  if (texts.length === 0) return 'Request input:\n(empty)';
  if (!isStream || texts.length === 1) return `Request input:\n${capped(texts.join('\n'))}`;
  return `Request input (stream):\n${capped(texts.map((text, index) => `[${index}]\n${text}`).join('\n'))}`;
}

function capped(text: string): string {
  if (text.length <= missRequestCharsMax) return text;
  return `${text.slice(0, missRequestCharsMax)}\n(${text.length - missRequestCharsMax} more characters)`;
}

function closestMatch(stub: Stub): string {
  const { definition } = stub;
  return [
    'Closest match:',
    `priority: ${definition.priority ?? 0}`,
    ...((definition.options?.times ?? 0) > 0 ? [`times: ${definition.options?.times}`] : []),
    ...(definition.headers === undefined
      ? []
      : ['header rules:', ...ruleLines('headers', definition.headers)]),
    'input rules:',
    ...inputRuleLines(definition),
  ].join('\n');
}

function inputRuleLines(definition: StubDefinition): readonly string[] {
  if (definition.input !== undefined) return ruleLines('input', definition.input);
  return (definition.inputs ?? []).flatMap((matcher, index) => ruleLines(`inputs[${index}]`, matcher));
}

const ruleNames = ['equals', 'contains', 'matches', 'glob', 'anyOf'] as const;

function ruleLines(
  place: string,
  matcher: { readonly [name in (typeof ruleNames)[number]]?: unknown },
): readonly string[] {
  return ruleNames.flatMap((name) => {
    const rule = matcher[name];
    return rule === undefined || rule === null ? [] : [`${place}.${name}:\n${indentedJson(rule as Json)}`];
  });
}

/** Keys sorted, indented with tabs. */
function indentedJson(value: Json): string {
  return JSON.stringify(JSON.parse(canonicalJson(value)), null, '\t');
}
