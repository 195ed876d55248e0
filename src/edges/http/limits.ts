/** What the simulated HTTP port takes from one client, and how long it waits for it. Times are milliseconds. */
export interface HttpLimits {
  /** A longer body is answered with 413. */
  readonly bodyBytesMax: number;
  /** Longer request line and headers together are answered with 431. */
  readonly headerBytesMax: number;
  /** Connections beyond these are closed at once. */
  readonly connectionsMax: number;
  /** Headers must have come whole this long after the connection, or the request before, was done: 408. */
  readonly headersMs: number;
  /** A request must have come whole this long after its first byte: 408. */
  readonly requestMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** How long a client may take nothing of a reply that waits for it. */
  readonly unreadReplyMs: number;
  /** How often the times above are checked; they are that much longer at worst. */
  readonly checkEveryMs: number;
  /** How long stopping waits for requests that are still coming in. */
  readonly drainMs: number;
}

export const httpLimits: HttpLimits = {
  bodyBytesMax: 32 * 1024 * 1024,
  headerBytesMax: 32 * 1024,
  connectionsMax: 10_000,
  headersMs: 15_000,
  requestMs: 120_000,
  keepAliveMs: 60_000,
  unreadReplyMs: 60_000,
  checkEveryMs: 5_000,
  drainMs: 2_000,
};
