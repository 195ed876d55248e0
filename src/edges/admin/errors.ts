import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LogFailure } from '../../core/simulator/ports.ts';
import { problem, ProblemError, problemType, type Problem, type ProblemKind } from './problem.ts';

/** Answers with the problem that an error is. What we did not foresee is told to the client as ours, without its text. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  onUnforeseen: (error: unknown) => void,
): FastifyReply {
  const headers = error instanceof ProblemError ? error.headers : {};
  const details = problemOf(error, request);
  if (details.code === 'DT_INTERNAL') onUnforeseen(error);
  if (details.status === 413 || details.status === 408) void reply.header('connection', 'close');
  return reply
    .code(details.status)
    .headers(headers)
    .type('application/problem+json')
    .send(JSON.stringify(details));
}

function problemOf(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof LogFailure) return logProblem(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const kind = typeof code === 'string' ? fastifyKinds.get(code) : undefined;
  if (kind === 'DT_MEDIA_TYPE_REFUSED') return problem(kind, mediaTypeRule(request));
  if (kind !== undefined && error instanceof Error) return problem(kind, error.message);
  return problem('DT_INTERNAL', 'something went wrong here that we did not foresee; the log is not affected');
}

/** What says in which forms a route takes its body. */
export interface TakesBodies {
  readonly mediaTypes?: readonly string[];
}

export function mediaTypeRule({ routeOptions }: FastifyRequest): string {
  const { mediaTypes } = routeOptions.config as TakesBodies;
  if (mediaTypes === undefined) return 'this request takes no body';
  return `send the body with one of the content types ${mediaTypes.join(', ')}`;
}

/** The log's own code says more than that it is unavailable. */
export function logProblem(failure: LogFailure): Problem {
  const { code, message } = failure;
  return { ...problem('DT_LOG_UNAVAILABLE', message), type: problemType(code), code };
}

const fastifyKinds: ReadonlyMap<string, ProblemKind> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'DT_BODY_TOO_LARGE'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'DT_MEDIA_TYPE_REFUSED'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'DT_REQUEST_MALFORMED'],
  ['FST_ERR_CTP_EMPTY_TYPE', 'DT_MEDIA_TYPE_REFUSED'],
  ['FST_ERR_BAD_URL', 'DT_REQUEST_MALFORMED'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'DT_REQUEST_INVALID'],
  // The client went away in the middle of its body; nobody reads this.
  ['ECONNRESET', 'DT_REQUEST_MALFORMED'],
]);

/** Answers on a connection whose bytes made no request: malformed, too slow, or headers too long. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const details = clientProblem(error.code);
  const body = JSON.stringify(details);
  const head = `HTTP/1.1 ${details.status} ${STATUS_CODES[details.status] ?? ''}\r\nconnection: close\r\n`;
  const type = `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket.end(head + type + body, () => socket.destroy());
}

function clientProblem(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problem('DT_REQUEST_TIMEOUT', 'the request did not come whole within the time limit');
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return problem('DT_HEADERS_TOO_LARGE', 'request line and headers are over the limit');
  }
  return problem('DT_REQUEST_MALFORMED', 'this is not an HTTP/1.1 request');
}
