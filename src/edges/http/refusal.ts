import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What the port itself says no to, before or instead of a simulated service. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

/** Answers with problem details (RFC 9457) and ends the connection: what the client still sends is not read. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  const body = problemText(refusal);
  response.writeHead(refusal.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/** The same on a connection whose bytes made no request: malformed, too slow, or headers too long. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  // ECONNRESET: nobody is there. Bytes written before: an answer is under way, and a second one would be read as part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const refusal = refusalFor(error.code);
  const body = problemText(refusal);
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\nconnection: close\r\n`;
  const type = `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.end(head + type + body, () => socket.destroy());
}

function refusalFor(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      status: 408,
      code: 'DT_REQUEST_TIMEOUT',
      detail: 'the request did not come whole within the time limit',
    };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      status: 431,
      code: 'DT_HEADERS_TOO_LARGE',
      detail: 'request line and headers are over the limit',
    };
  }
  return { status: 400, code: 'DT_REQUEST_MALFORMED', detail: 'this is not an HTTP/1.1 request' };
}

function problemText({ status, code, detail }: Refusal): string {
  return JSON.stringify({
    type: `urn:doubletake:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
  });
}
