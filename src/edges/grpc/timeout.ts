const msPerUnit: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/**
 * The value of `grpc-timeout` in whole milliseconds, rounded up, so that no call ends earlier than its client asked.
 * `undefined` for what is not one to eight digits and a unit (gRPC over HTTP/2, "Requests").
 */
export function parseTimeoutMs(value: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  const factor = unit === undefined ? undefined : msPerUnit[unit];
  return digits === undefined || factor === undefined ? undefined : Math.ceil(Number(digits) * factor);
}
