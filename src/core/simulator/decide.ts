import { canonicalJson } from '../kernel/canonical-json.ts';
import { utf8 } from '../kernel/bytes.ts';
import { randomnessAt } from '../kernel/randomness.ts';
import { decideDueRpc, decideRpc, nextDueRpc, nextReplyRpc } from '../services/rpc/decide.ts';
import type { HttpRequestReceived, Input, Outcome } from './events.ts';
import type { World } from './world.ts';

/**
 * What comes of an input at the moment `at`. Pure: everything that it depends on is in the world, the input and the
 * moment; chance comes from the log's seed and the seq that the entry will have.
 */
export function decide(world: World, input: Input, at: number): readonly Outcome[] {
  const seq = world.seq + 1;
  const context = { seq, at, randomness: randomnessAt(world.seed, seq) };
  switch (input.kind) {
    case 'ClockAdvanced':
      return decideDueRpc(world.rpc, context);
    case 'ClockModeChanged':
      return [];
    case 'HttpRequestReceived':
      return missRequest(input, seq);
    default:
      return decideRpc(world.rpc, input, context);
  }
}

/** The next moment at which something happens by itself. */
export function nextDue(world: World): number | undefined {
  return nextDueRpc(world.rpc);
}

/** The next moment to which a clock that jumps when idle jumps. */
export function nextJump(world: World): number | undefined {
  return nextReplyRpc(world.rpc);
}

function missRequest(input: HttpRequestReceived, seq: number): readonly Outcome[] {
  const path = input.target.split('?', 1)[0] ?? input.target;
  const problem = {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: `nothing here answers ${input.method} ${path}`,
    entry: seq,
  };
  const headers = [
    ['content-type', 'application/problem+json'],
    ['doubletake-entry', String(seq)],
  ] as const;
  return [
    { kind: 'RequestMissed', request: seq },
    { kind: 'ResponseGiven', request: seq, status: 404, headers, bytes: utf8(canonicalJson(problem)) },
  ];
}
