import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Headers } from '../../core/services/rpc/events.ts';
import type { HttpRequestReceived } from '../../core/simulator/events.ts';
import { fingerprint, isCredentialHeader } from '../../core/kernel/credentials.ts';
import { sessionNameMax, sessionNamed } from '../../core/simulator/session.ts';

/** The input that a request is: as it came, with credentials replaced by their fingerprints. */
export function inputOf(request: IncomingMessage, address: Address, body: Uint8Array): HttpRequestReceived {
  return {
    kind: 'HttpRequestReceived',
    method: request.method ?? '',
    target: address.target,
    session: address.session,
    headers: headersOf(request.rawHeaders),
    ...(body.length > 0 && { bytes: body }),
  };
}

/** Where a request goes: its target without the session prefix, and the session that prefix or headers name. */
export interface Address {
  readonly target: string;
  readonly session: string;
}

/** `undefined` when what should name the session is no name. The prefix counts more than the headers. */
export function addressOf(target: string, headers: IncomingHttpHeaders): Address | undefined {
  const split = sessionTarget(target);
  if (split === undefined) return undefined;
  const session = split.session ?? sessionNamed((header) => oneValue(headers[header]));
  return session.length > sessionNameMax ? undefined : { target: split.target, session };
}

interface SessionTarget {
  readonly target: string;
  readonly session?: string;
}

const prefix = '/__session/';

/**
 * Takes `/__session/{name}` off the front of a target, for clients that cannot set headers; the rest stays as it was
 * sent. `undefined` when the name is empty or is not percent-encoded UTF-8.
 */
function sessionTarget(target: string): SessionTarget | undefined {
  if (!target.startsWith(prefix)) return { target };
  const [name = ''] = target.slice(prefix.length).split(/[/?]/, 1);
  const rest = target.slice(prefix.length + name.length);
  const session = decoded(name);
  return session === undefined || session === '' ? undefined : { session, target: originForm(rest) };
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** A path begins with a slash (RFC 9112, 3.2.1), also when the client asked for the bare prefix. */
function originForm(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function headersOf(raw: readonly string[]): Headers {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    headers.push([name, isCredentialHeader(name) ? fingerprint(value) : value]);
  }
  return headers;
}

function oneValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
