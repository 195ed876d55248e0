import type { DescMethod } from '@bufbuild/protobuf';
import type { RpcOutcome } from './events.ts';
import { answerHealth, askedService, healthService } from './health.ts';
import { answerReflection } from './reflection.ts';
import type { OpenCall, RpcState } from './state.ts';
import { statusCodes } from './status-codes.ts';

const builtInServices: ReadonlySet<string> = new Set([
  healthService,
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
]);

/** True for the methods that answer without a stub. */
export function isBuiltIn(method: DescMethod): boolean {
  return builtInServices.has(method.parent.typeName);
}

/** The answer to the client's last message, or to its half-close on the reflection stream. */
export function answerBuiltIn(state: RpcState, method: DescMethod, call: OpenCall): readonly RpcOutcome[] {
  if (method.methodKind === 'bidi_streaming' && call.halfClosed) return [ended(call)];
  const request = call.received.last();
  if (request === undefined) return [];
  const answer = builtInAnswer(state, method, request);
  if (!answer.ok) return [{ ...ended(call), code: answer.code, message: answer.message }];
  const sent: RpcOutcome = { kind: 'MessageSent', call: call.id, bytes: answer.bytes };
  // Watch and reflection stay open: the client decides when they end.
  return method.methodKind === 'unary' ? [sent, ended(call)] : [sent];
}

/** With the `gripmock` compatibility, the health of that name is the server's own: no stub answers for it. */
export function isKeptForServer(
  state: RpcState,
  method: DescMethod,
  request: Uint8Array | undefined,
): boolean {
  if (!state.gripmock || method.parent.typeName !== healthService || request === undefined) return false;
  return furtherNames(state).includes(askedService(request));
}

function furtherNames({ gripmock }: RpcState): readonly string[] {
  return gripmock ? ['gripmock'] : [];
}

function builtInAnswer(state: RpcState, method: DescMethod, request: Uint8Array) {
  if (method.parent.typeName === healthService) {
    return answerHealth(state.descriptors, method.name, request, furtherNames(state));
  }
  const version = method.parent.typeName.startsWith('grpc.reflection.v1alpha') ? 'v1alpha' : 'v1';
  return answerReflection(state.descriptors, version, request);
}

function ended(call: OpenCall): Extract<RpcOutcome, { kind: 'CallEnded' }> {
  return { kind: 'CallEnded', call: call.id, code: statusCodes.OK };
}
