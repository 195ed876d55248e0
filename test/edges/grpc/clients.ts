import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import { once } from 'node:events';
import {
  Client,
  credentials,
  Metadata,
  type ChannelCredentials,
  type ClientDuplexStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { frameMessage } from '../../../src/edges/grpc/frames.ts';

/** What a client sees of a call. */
export interface Reply {
  readonly messages: readonly string[];
  readonly headers: Metadata | undefined;
  readonly status: StatusObject;
}

export const text = (value: string): Buffer => Buffer.from(value);
const same = (bytes: Buffer): Buffer => bytes;

export function metadata(pairs: readonly (readonly [string, string | Buffer])[] = []): Metadata {
  const made = new Metadata();
  for (const [name, value] of pairs) made.add(name, value);
  return made;
}

export function grpcClient(
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
): Client {
  return new Client(address, channel, {});
}

export interface CallOptions {
  readonly metadata?: Metadata;
  readonly deadline?: number;
}

/** Makes a call of any kind: sends the messages, half-closes, and takes everything in. */
export function callOnce(
  client: Client,
  path: string,
  messages: readonly Buffer[],
  { metadata: given = new Metadata(), deadline }: CallOptions = {},
): Promise<Reply> {
  const call = client.makeBidiStreamRequest(
    path,
    same,
    same,
    given,
    deadline === undefined ? {} : { deadline },
  );
  for (const bytes of messages) call.write(bytes);
  call.end();
  return replyOf(call);
}

export type BidiCall = ClientDuplexStream<Buffer, Buffer>;

export function openCall(client: Client, path: string, given: CallOptions = {}): BidiCall {
  const options = given.deadline === undefined ? {} : { deadline: given.deadline };
  return client.makeBidiStreamRequest(path, same, same, given.metadata ?? new Metadata(), options);
}

export function replyOf(call: BidiCall): Promise<Reply> {
  const messages: string[] = [];
  let headers: Metadata | undefined;
  call.on('data', (bytes: Buffer) => messages.push(bytes.toString()));
  call.on('metadata', (given: Metadata) => {
    headers = given;
  });
  call.on('error', () => {});
  return new Promise((resolve) => {
    call.on('status', (status: StatusObject) => resolve({ messages, headers, status }));
  });
}

/** A plain HTTP/2 client: for what no gRPC client would send. */
export async function http2Client(address: string): Promise<ClientHttp2Session> {
  const session = connect(`http://${address}`);
  session.on('error', () => {});
  await once(session, 'connect');
  return session;
}

/** How a raw stream ended: with headers and trailers, or with a reset. */
export interface RawReply {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  /** From wherever it came; `undefined` when there was none. */
  readonly grpcStatus: string | undefined;
  readonly grpcMessage: string | undefined;
  readonly body: Buffer;
  readonly resetCode: number;
}

export function rawCall(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => {});
  return stream;
}

export function rawReply(stream: ClientHttp2Stream): Promise<RawReply> {
  let headers: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  const body: Buffer[] = [];
  stream.on('response', (given) => {
    headers = given;
  });
  stream.on('trailers', (given) => {
    trailers = given;
  });
  stream.on('data', (chunk: Buffer) => body.push(chunk));
  return new Promise((resolve) => {
    stream.on('close', () => {
      const field = (name: string): string | undefined => {
        const value = trailers[name] ?? headers[name];
        return value === undefined ? undefined : String(value);
      };
      resolve({
        headers,
        trailers,
        grpcStatus: field('grpc-status'),
        grpcMessage: field('grpc-message'),
        body: Buffer.concat(body),
        resetCode: stream.rstCode,
      });
    });
  });
}

export function framed(value: string | Uint8Array, compressed = false): Buffer {
  return frameMessage(typeof value === 'string' ? text(value) : value, compressed);
}
