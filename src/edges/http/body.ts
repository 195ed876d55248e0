import type { IncomingMessage } from 'node:http';
import { noBytes } from '../../core/kernel/bytes.ts';

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'too large' }
  /** The client went away, or a time limit met it. Nobody is left to answer. */
  | { readonly kind: 'broken' };

/** Reads a body as it comes, undecoded; `done` is called once. A declared length over the limit is not waited for. */
export function readBody(request: IncomingMessage, bytesMax: number, done: (body: Body) => void): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0'))
    done({ kind: 'whole', bytes: noBytes });
  else if (Number(length) > bytesMax) done({ kind: 'too large' });
  else collect(request, bytesMax, done);
}

function collect(request: IncomingMessage, bytesMax: number, done: (body: Body) => void): void {
  const chunks: Uint8Array[] = [];
  let received = 0;

  function take(chunk: Uint8Array): void {
    received += chunk.length;
    if (received > bytesMax) finish({ kind: 'too large' });
    else chunks.push(chunk);
  }
  function whole(): void {
    // A copy: a chunk may be a view into a buffer that the socket reads into again.
    finish({ kind: 'whole', bytes: Buffer.concat(chunks, received) });
  }
  function broken(): void {
    finish({ kind: 'broken' });
  }
  function finish(body: Body): void {
    request.off('data', take).off('end', whole).off('close', broken);
    done(body);
  }

  // An `error` comes before its `close`; without a listener it would end the process.
  request.on('data', take).on('end', whole).on('close', broken).on('error', ignore);
}

function ignore(): void {
  // `close` follows and says what there is to say.
}
