import { parseDurationMs } from '../../core/kernel/duration.ts';
import { adminLimits, type AdminLimits } from '../../edges/admin/limits.ts';
import { defaultGrpcLimits, type GrpcLimits } from '../../edges/grpc/limits.ts';
import { httpLimits, type HttpLimits } from '../../edges/http/limits.ts';
import { usageFailure } from '../command-failure.ts';

/** Limits that differ from the defaults, by port. */
export interface GivenLimits {
  readonly grpc: Partial<GrpcLimits>;
  readonly admin: Partial<AdminLimits>;
  readonly http: Partial<HttpLimits>;
}

/** Every limit that `--limit` can change: `grpc.messageReceiveBytesMax`, with its default. */
export const changeableLimits: ReadonlyMap<string, number> = new Map(
  Object.entries({ grpc: defaultGrpcLimits, admin: adminLimits, http: httpLimits }).flatMap(
    ([port, limits]) =>
      Object.entries(limits).map(([name, value]) => [`${port}.${name}`, value as number] as const),
  ),
);

/** Reads `grpc.messageReceiveBytesMax=8MiB`, `http.requestMs=30s`, `grpc.openCallsMax=100`. */
export function limitsFrom(given: readonly string[]): GivenLimits {
  const limits: Record<string, Record<string, number>> = { grpc: {}, admin: {}, http: {} };
  for (const text of given) {
    const [place = '', value = ''] = text.split('=', 2);
    const [port = '', name = ''] = place.split('.', 2);
    const ofPort = limits[port];
    if (ofPort === undefined || !changeableLimits.has(place)) {
      throw usageFailure(`there is no limit ${JSON.stringify(place)}`, 'docs/limits.md names them all.');
    }
    ofPort[name] = amount(name, value);
  }
  return limits as unknown as GivenLimits;
}

/** A whole number; times also as durations, sizes also with a unit. */
function amount(name: string, text: string): number {
  const number = name.endsWith('Ms') ? milliseconds(text) : bytes(text);
  if (number !== undefined && number > 0) return number;
  const example = name.endsWith('Ms') ? '30s' : name.includes('Bytes') ? '8MiB' : '100';
  throw usageFailure(
    `the limit ${name} is a number above 0, got ${JSON.stringify(text)}`,
    `Such as ${name}=${example}.`,
  );
}

function milliseconds(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  try {
    return parseDurationMs(text);
  } catch {
    return undefined;
  }
}

const units: Readonly<Record<string, number>> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

function bytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15})(KiB|MiB|GiB)?$/.exec(text) ?? [];
  const factor = units[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}
