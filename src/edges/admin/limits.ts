/** What administration takes from one client, and how long it waits for it. Times are milliseconds. */
export interface AdminLimits {
  /** Stub payloads and descriptor sets; longer ones are answered with 413. */
  readonly adminBodyBytesMax: number;
  /** All other bodies. */
  readonly controlBodyBytesMax: number;
  /** Request line and headers together: 431. */
  readonly headerBytesMax: number;
  readonly connectionsMax: number;
  /** Headers must have come whole this long after the connection, or the request before, was done: 408. */
  readonly headersMs: number;
  /** A request must have come whole this long after its first byte: 408. */
  readonly requestMs: number;
  /** A connection on which nothing moves is closed, also while an answer waits to be read. */
  readonly silentMs: number;
  readonly keepAliveMs: number;
  /** How often the times above are checked; they are that much longer at worst. */
  readonly checkEveryMs: number;
  /** How long stopping waits for requests that are under way. */
  readonly drainMs: number;
  /** The most that one page of stubs, entries or calls holds. */
  readonly pageItemsMax: number;
  /** How many entries one filtered request for entries looks at; the answer says where to go on. */
  readonly entriesScannedMax: number;
  /** The newest calls that history shows; older ones are still in the log. */
  readonly historyCallsMax: number;
  /** The bytes of all messages that history shows together. */
  readonly historyBytesMax: number;
}

export const adminLimits: AdminLimits = {
  adminBodyBytesMax: 64 * 1024 * 1024,
  controlBodyBytesMax: 1024 * 1024,
  headerBytesMax: 16 * 1024,
  connectionsMax: 1_000,
  headersMs: 10_000,
  requestMs: 120_000,
  silentMs: 300_000,
  keepAliveMs: 60_000,
  checkEveryMs: 5_000,
  drainMs: 2_000,
  pageItemsMax: 10_000,
  entriesScannedMax: 100_000,
  historyCallsMax: 10_000,
  historyBytesMax: 64 * 1024 * 1024,
};
