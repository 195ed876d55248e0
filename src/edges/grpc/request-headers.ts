import { credentialHeaders, fingerprint } from '../../core/kernel/credentials.ts';
import type { Headers } from '../../core/services/rpc/events.ts';
import { sessionHeaders, sessionNamed } from '../../core/simulator/session.ts';

/** What the headers of a request say. */
export interface RequestHead {
  /** As on the wire: `/package.Service/Method`. */
  readonly method: string;
  /** Empty means global. */
  readonly session: string;
  readonly headers: Headers;
  /** Names and values, with 32 bytes for each pair, as RFC 9113, 6.5.2 counts them. */
  readonly headerListBytes: number;
  /** The value of `grpc-timeout`, as it came. */
  readonly timeout: string | undefined;
  /** The value of `grpc-encoding`: how messages with the compressed flag are packed. */
  readonly encoding: string | undefined;
  /** The client said that it understands gzip. */
  readonly acceptsGzip: boolean;
}

/**
 * Reads the headers in wire order, as Node gives them: names at even places (HTTP/2 has them in lower case), values
 * at odd ones. Of the pseudo-headers only `:authority` is kept; the others say nothing that the method does not.
 */
export function readRequestHead(raw: readonly string[]): RequestHead {
  const headers: [string, string][] = [];
  let method = '';
  let namesSession = false;
  let timeout: string | undefined;
  let encoding: string | undefined;
  let acceptsGzip = false;
  let headerListBytes = 0;
  for (let place = 0; place + 1 < raw.length; place += 2) {
    const name = raw[place] ?? '';
    const value = raw[place + 1] ?? '';
    headerListBytes += name.length + value.length + 32;
    switch (name) {
      case ':path':
        method = value;
        continue;
      case ':method':
      case ':scheme':
        continue;
      case 'grpc-timeout':
        timeout ??= value;
        break;
      case 'grpc-encoding':
        encoding ??= value;
        break;
      case 'grpc-accept-encoding':
        acceptsGzip ||= namesGzip(value);
        break;
      default:
        namesSession ||= sessionHeaders.includes(name);
    }
    keepPair(headers, name, value);
  }
  const session = namesSession ? sessionNamed((name) => firstValue(headers, name)) : '';
  return { method, session, headers, headerListBytes, timeout, encoding, acceptsGzip };
}

function firstValue(headers: Headers, name: string): string | undefined {
  return headers.find(([given]) => given === name)?.[1];
}

function keepPair(headers: [string, string][], name: string, value: string): void {
  if (credentialHeaders.has(name)) headers.push([name, knownFingerprint(value)]);
  // A proxy may have joined several binary values; a comma is not base64.
  else if (name.endsWith('-bin') && value.includes(',')) {
    for (const part of value.split(',')) headers.push([name, part.trim()]);
  } else headers.push([name, value]);
}

function namesGzip(value: string): boolean {
  return value.includes('gzip') && value.split(',').some((name) => name.trim() === 'gzip');
}

const fingerprintsMax = 1000;
const fingerprints = new Map<string, string>();

// A test suite sends the same few tokens in every call, and a digest costs as much as the rest of the headers.
function knownFingerprint(value: string): string {
  const known = fingerprints.get(value);
  if (known !== undefined) return known;
  const made = fingerprint(value);
  if (fingerprints.size >= fingerprintsMax) fingerprints.clear();
  fingerprints.set(value, made);
  return made;
}
