/** Why the transport ends a call. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault';
  /** A gRPC status code. */
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
