import type { ServerResponse } from 'node:http';
import type { ResponseGiven } from '../../core/simulator/events.ts';
import type { Headers } from '../../core/services/rpc/events.ts';

/**
 * Writes a reply as core gave it: names, order and repetition of headers are kept. What core leaves open and HTTP asks
 * for is added: the length of the body, and the date, which is the log's (`at`, in milliseconds) and not the machine's.
 */
export function writeReply(response: ServerResponse, given: ResponseGiven, at: number): void {
  const body = given.bytes;
  response.sendDate = false;
  response.writeHead(given.status, wireHeaders(given, at));
  if (body === undefined || body.length === 0) response.end();
  else if (body.length <= joinedBytesMax) response.end(latin1Text(body), 'latin1');
  else response.end(body);
}

/** A body of this size goes out in one write with its headers: Node joins texts, and sends bytes after them. */
const joinedBytesMax = 16 * 1024;

/** Each byte becomes the character of its value, and a byte again on the wire. */
function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function wireHeaders(given: ResponseGiven, at: number): string[] {
  const wire = given.headers.flat();
  if (!names(given.headers, 'date')) wire.push('date', httpDate(at));
  if (needsLength(given)) wire.push('content-length', String(given.bytes?.length ?? 0));
  return wire;
}

/** RFC 9110, 8.6: no length where there can be no body. */
function needsLength({ status, headers }: ResponseGiven): boolean {
  if (status < 200 || status === 204 || status === 304) return false;
  return !names(headers, 'content-length') && !names(headers, 'transfer-encoding');
}

function names(headers: Headers, wanted: string): boolean {
  return headers.some(([name]) => name.length === wanted.length && name.toLowerCase() === wanted);
}

let dated = { second: -1, text: '' };

/** IMF-fixdate (RFC 9110, 5.6.7) has whole seconds, so one text serves all replies of a second. */
function httpDate(at: number): string {
  const second = Math.floor(at / 1000);
  if (dated.second !== second) dated = { second, text: new Date(at).toUTCString() };
  return dated.text;
}
