import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeJson, messageJson } from '../../../../src/core/services/rpc/codec.ts';
import { noDescriptors } from '../../../../src/core/services/rpc/descriptors.ts';
import { answerHealth } from '../../../../src/core/services/rpc/health.ts';
import type { Json } from '../../../../src/core/kernel/json.ts';
import { descriptorsBelow, messageNamed } from './protos.ts';

const descriptors = descriptorsBelow(new URL('protos', import.meta.url));

function ask(method: string, service: string, aliases: readonly string[] = []): unknown {
  const request = encodeJson(
    messageNamed(noDescriptors, 'grpc.health.v1.HealthCheckRequest'),
    { service },
    noDescriptors,
  );
  if (!request.ok) throw new Error(request.problem);
  const answer = answerHealth(descriptors, method, request.bytes, aliases);
  return answer.ok
    ? shown(method === 'List' ? 'HealthListResponse' : 'HealthCheckResponse', answer.bytes)
    : answer;
}

function shown(type: string, bytes: Uint8Array): Json {
  const desc = messageNamed(noDescriptors, `grpc.health.v1.${type}`);
  const decoded = decodeMessage(desc, bytes);
  if (!decoded.ok) throw new Error(decoded.problem);
  return messageJson(decoded.message, desc, noDescriptors);
}

describe('the health service', () => {
  it.each(['', 'rich.Store'])('says SERVING of %j', (service) => {
    expect(ask('Check', service)).toEqual({ status: 'SERVING' });
    expect(ask('Watch', service)).toEqual({ status: 'SERVING' });
  });

  it.each(['Store', 'rich.Gone', 'rich.Rich', 'grpc.health.v1.Health', '__proto__'])(
    'does not know %j',
    (service) => {
      expect(ask('Check', service)).toEqual({ ok: false, code: 5, message: 'unknown service' });
      expect(ask('Watch', service)).toEqual({ status: 'SERVICE_UNKNOWN' });
    },
  );

  it('lists the server and every loaded service', () => {
    expect(ask('List', '')).toEqual({
      statuses: { '': { status: 'SERVING' }, 'rich.Store': { status: 'SERVING' } },
    });
  });

  it('knows the server by further names', () => {
    expect(ask('Check', 'gripmock', ['gripmock'])).toEqual({ status: 'SERVING' });
    expect(ask('Check', 'gripmock')).toMatchObject({ code: 5 });
  });

  it('refuses other methods, and bytes that are no request', () => {
    expect(ask('Stop', '')).toMatchObject({ ok: false, code: 12 });
    expect(answerHealth(descriptors, 'Check', Uint8Array.of(0x0a, 9))).toMatchObject({ ok: false, code: 3 });
  });
});
