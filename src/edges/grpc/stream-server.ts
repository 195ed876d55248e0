import type { IncomingHttpHeaders, SecureServerOptions, ServerHttp2Stream } from 'node:http2';
import { Server } from '@grpc/grpc-js';
import type { GrpcLimits } from './limits.ts';

/** Takes every stream that a client opens, whatever its path. */
export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
) => void;

/**
 * grpc-js's server, with its calls taken out of its hands before it looks for a method.
 *
 * grpc-js keeps what it does well: listening, TLS, sessions, keepalive, idle connections, going away. But its public
 * interface wants every method registered beforehand, so descriptors could not come while it runs and calls to unknown
 * methods would never be inputs; and `GrpcStream` says what else its handlers cannot do. So three private names are
 * used; the function throws when one of them is not what it was, and a test holds that too:
 *
 * - `_streamHandler(interceptors, stream, headers, flags, rawHeaders)` is bound as the listener of `stream` on each
 *   HTTP/2 server. Replacing it on the object, before anything is bound, gives us every stream.
 * - `onStreamOpened(stream)` is what `_streamHandler` calls so that a connection with a call is not taken for idle.
 * - `commonServerOptions` goes to `http2.createServer`; there is no public way to the limits that are set in it.
 */
export function makeStreamServer(limits: GrpcLimits, handle: StreamHandler): Server {
  const server = new Server({
    // With channelz another private method is used for streams; and it costs something for each call.
    'grpc.enable_channelz': 0,
    'grpc.max_concurrent_streams': limits.concurrentStreamsMax,
    'grpc.max_connection_idle_ms': limits.connectionIdleMs,
    'grpc.keepalive_time_ms': limits.keepaliveMs,
    'grpc.keepalive_timeout_ms': limits.keepaliveTimeoutMs,
  });
  const internals = internalsOf(server);
  const { commonServerOptions } = internals;
  commonServerOptions.settings = {
    ...commonServerOptions.settings,
    maxHeaderListSize: limits.headerListBytesMax,
  };
  commonServerOptions.handshakeTimeout = limits.handshakeMs;
  internals._streamHandler = (_interceptors, stream, headers, _flags, rawHeaders) => {
    internals.onStreamOpened(stream);
    handle(stream, headers, rawHeaders);
  };
  return server;
}

interface ServerInternals {
  _streamHandler: (
    interceptors: unknown,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
  ) => void;
  readonly onStreamOpened: (stream: ServerHttp2Stream) => void;
  readonly commonServerOptions: SecureServerOptions;
}

function internalsOf(server: Server): ServerInternals {
  // The names are private to TypeScript only; they are checked right below.
  const internals = server as unknown as Partial<ServerInternals>;
  const { _streamHandler, onStreamOpened, commonServerOptions } = internals;
  const known =
    typeof _streamHandler === 'function' &&
    typeof onStreamOpened === 'function' &&
    typeof commonServerOptions === 'object';
  if (!known)
    throw new Error('@grpc/grpc-js has changed inside; src/edges/grpc/stream-server.ts must follow it');
  return internals as ServerInternals;
}
