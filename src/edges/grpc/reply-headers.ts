import type { OutgoingHttpHeaders } from 'node:http2';
import type { Headers } from '../../core/services/rpc/events.ts';
import { statusCodes } from '../../core/services/rpc/status-codes.ts';
import { acceptedEncodings } from './compression.ts';
import { encodeStatusMessage } from './status-message.ts';
import { TransportFault } from './transport-fault.ts';

/** What every reply with messages begins with. */
export const plainReplyHeaders: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
};
export const packedReplyHeaders: OutgoingHttpHeaders = { ...plainReplyHeaders, 'grpc-encoding': 'gzip' };
/** For a reply without messages; a client whose compression was refused learns here what it may use. */
export const statusOnlyHeaders: OutgoingHttpHeaders = {
  ...plainReplyHeaders,
  'grpc-accept-encoding': acceptedEncodings,
};

/** The status of a call, as trailers. */
export function statusHeaders(
  code: number,
  message: string | undefined,
  messageBytesMax: number,
): OutgoingHttpHeaders {
  if (message === undefined || message === '') return { 'grpc-status': code };
  return { 'grpc-status': code, 'grpc-message': encodeStatusMessage(message, messageBytesMax) };
}

/** What the transport itself says in every reply, or what HTTP/2 forbids; a stub cannot set it. */
const ownedByTransport: ReadonlySet<string> = new Set([
  'grpc-status',
  'grpc-message',
  'grpc-encoding',
  'grpc-accept-encoding',
  'content-length',
  'te',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

const sendableName = /^[0-9a-z_.-]+$/;
// Visible ASCII and space; HTTP/2 forbids white space at the ends (RFC 9113, 8.2.1).
const sendableValue = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

/**
 * Adds pairs to HTTP/2 headers; several values of one name stay several. Names are set in lower case.
 * Throws a `TransportFault` (INTERNAL) that names the header if it cannot go over the wire.
 */
export function addHeaders(target: OutgoingHttpHeaders, headers: Headers): OutgoingHttpHeaders {
  for (const [name, value] of headers) addHeader(target, name.toLowerCase(), value);
  return target;
}

function addHeader(target: OutgoingHttpHeaders, name: string, value: string): void {
  refuseUnsendable(name, value);
  const before = name === 'content-type' ? undefined : target[name];
  if (before === undefined) target[name] = value;
  else target[name] = Array.isArray(before) ? [...before, value] : [String(before), value];
}

function refuseUnsendable(name: string, value: string): void {
  if (!sendableName.test(name)) throw unsendable(name, 'this is not a name that gRPC allows');
  if (!sendableValue.test(value))
    throw unsendable(name, 'its value must be printable ASCII without spaces at the ends');
  if (ownedByTransport.has(name)) throw unsendable(name, 'it belongs to the transport');
  if (name === 'content-type' && !value.startsWith('application/grpc')) {
    throw unsendable(name, 'it must begin with application/grpc');
  }
}

function unsendable(name: string, why: string): TransportFault {
  return new TransportFault(
    statusCodes.INTERNAL,
    `the reply's header ${JSON.stringify(name)} cannot be sent: ${why}`,
  );
}
