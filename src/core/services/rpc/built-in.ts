import type { DescMethod } from '@bufbuild/protobuf';
import type { RpcOutcome } from './events.ts';
import { answerHealth } from './health.ts';
import { answerReflection } from './reflection.ts';
import type { OpenCall, RpcState } from './state.ts';
import { statusCodes } from './status-codes.ts';

const builtInServices: ReadonlySet<string> = new Set([
  'grpc.health.v1.Health',
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

function builtInAnswer(state: RpcState, method: DescMethod, request: Uint8Array) {
  if (method.parent.typeName === 'grpc.health.v1.Health') {
    return answerHealth(state.descriptors, method.name, request, state.gripmock ? ['gripmock'] : []);
  }
  const version = method.parent.typeName.startsWith('grpc.reflection.v1alpha') ? 'v1alpha' : 'v1';
  return answerReflection(state.descriptors, version, request);
}

function ended(call: OpenCall): Extract<RpcOutcome, { kind: 'CallEnded' }> {
  return { kind: 'CallEnded', call: call.id, code: statusCodes.OK };
}
