/** Every limit of the gRPC edge. What happens when one is met stands beside it; a number is a gRPC status code. */
export interface GrpcLimits {
  /** One message of a request, as the prefix announces it and after unpacking. Beyond: 8. */
  readonly messageReceiveBytesMax: number;
  /** One message of a reply. Beyond: 8. */
  readonly messageSendBytesMax: number;
  /**
   * What may wait in memory for a client that does not read, for each call. Beyond, the stream is reset with
   * ENHANCE_YOUR_CALM, which clients report as 8: a status would have to wait behind what is not being read.
   * A message that finds nothing waiting is always taken.
   */
  readonly queuedBytesMax: number;
  /** Messages of one call that are not yet durable; with more, the edge stops reading the call until some are. */
  readonly unsettledMessagesMax: number;
  /** Calls at one time, over all connections. Beyond: 8. */
  readonly openCallsMax: number;
  /** Calls at one time on a connection; told to the client, which waits. Beyond, the stream is refused. */
  readonly concurrentStreamsMax: number;
  /** Names and values of a request's headers, with 32 bytes for each pair (RFC 9113, 6.5.2). Beyond: 8, or the stream is refused. */
  readonly headerListBytesMax: number;
  /** The percent-encoded `grpc-message`; longer is cut. Many clients refuse more than 8 KiB of trailers in all. */
  readonly statusMessageBytesMax: number;
  /** A request of one message must be whole, and any message that was begun must be complete, within this. Beyond: 4. */
  readonly messageReceiveMs: number;
  /** After a call's end the client must take what is queued within this. Beyond, the stream is reset. */
  readonly messageSendMs: number;
  /** A connection without a call is closed after this; also one that never says a word. */
  readonly connectionIdleMs: number;
  /** A TLS handshake must be done within this. Beyond, the connection is closed. */
  readonly handshakeMs: number;
  /** How often a connection is pinged. */
  readonly keepaliveMs: number;
  /** A ping must be answered within this. Beyond, the connection is closed. */
  readonly keepaliveTimeoutMs: number;
  /** At `stop`, running calls may go on for this long; then they are cancelled: 14. */
  readonly drainMs: number;
}

const kib = 1024;
const mib = 1024 * kib;
const seconds = 1000;
const minutes = 60 * seconds;

export const defaultGrpcLimits: GrpcLimits = {
  messageReceiveBytesMax: 4 * mib,
  messageSendBytesMax: 64 * mib,
  queuedBytesMax: 16 * mib,
  unsettledMessagesMax: 64,
  openCallsMax: 20_000,
  concurrentStreamsMax: 1000,
  headerListBytesMax: 64 * kib - 1,
  statusMessageBytesMax: 6 * kib,
  messageReceiveMs: 30 * seconds,
  messageSendMs: 5 * minutes,
  connectionIdleMs: 5 * minutes,
  handshakeMs: 10 * seconds,
  keepaliveMs: 60 * seconds,
  keepaliveTimeoutMs: 20 * seconds,
  drainMs: 5 * seconds,
};
