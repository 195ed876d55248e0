import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ProblemError, problem, refusal } from './problem.ts';

// Administration changes what every client is told, and any web page that a developer has open can send requests to
// loopback. So a request must show that no page of another origin made it:
//
//   Host     names this server           else a page reached us through a name of its own that resolves to loopback
//   Origin   is this server's, or none   else a page of another site sent the request

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for addresses and names that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const bare = withoutBrackets(host).toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  const family = isIP(bare);
  return family !== 0 && loopback.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

export interface Guard {
  /** Throws a `ProblemError` for a request that may not be served. `isOpen` routes are served without the token. */
  check(headers: IncomingHttpHeaders, isOpen: boolean): void;
}

export interface GuardOptions {
  /** Where the server listens. */
  readonly host: string;
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
}

export function guardFor(options: GuardOptions): Guard {
  const names = new Set(
    [options.host, ...options.allowedHosts].map((name) => withoutBrackets(name).toLowerCase()),
  );
  const isToken = options.token === undefined ? undefined : tokenCheck(options.token);
  return {
    check(headers, isOpen) {
      checkHost(headers, names, isLoopback(options.host));
      checkOrigin(headers);
      if (isToken !== undefined && !isOpen) checkToken(headers, isToken);
    },
  };
}

function checkHost(headers: IncomingHttpHeaders, names: ReadonlySet<string>, onLoopback: boolean): void {
  const name = hostName(headers.host ?? '');
  if (name !== undefined && (names.has(name) || isTrustworthy(name, onLoopback))) return;
  throw refusal('DT_HOST_REFUSED', 'the Host header names another server');
}

/** An address cannot be made to resolve to another one, so off loopback any address is as good as the one we listen on. */
function isTrustworthy(name: string, onLoopback: boolean): boolean {
  return isLoopback(name) || (!onLoopback && isIP(name) !== 0);
}

/** The name in a `Host` header or an origin, without the port: a forwarded port is another one. */
function hostName(host: string): string | undefined {
  const name = /^(\[[0-9a-fA-F:.]+\]|[^:[\]/@?#\s]+)(?::\d{1,5})?$/.exec(host)?.[1];
  return name === undefined ? undefined : withoutBrackets(name).toLowerCase();
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function checkOrigin({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  const isOwn = origin === undefined ? isOwnFetch(site) : isSameOrigin(origin, host ?? '');
  if (!isOwn) throw refusal('DT_ORIGIN_REFUSED', 'this request was sent by a web page of another origin');
}

/** Browsers say where a request came from even where they send no origin (Fetch Metadata); other clients say nothing. */
function isOwnFetch(site: string | string[] | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

function isSameOrigin(origin: string, host: string): boolean {
  return (
    origin.toLowerCase() === `http://${host.toLowerCase()}` ||
    origin.toLowerCase() === `https://${host.toLowerCase()}`
  );
}

function checkToken({ authorization }: IncomingHttpHeaders, isToken: (given: string) => boolean): void {
  const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (given !== undefined && isToken(given)) return;
  const detail = given === undefined ? 'send the token as Authorization: Bearer' : 'this is another token';
  throw new ProblemError(problem('DT_TOKEN_REQUIRED', detail), {
    'www-authenticate': 'Bearer realm="doubletake"',
  });
}

/** Compares digests: they have one length, and the time that comparing takes says nothing of the token. */
function tokenCheck(token: string): (given: string) => boolean {
  const expected = digest(token);
  return (given) => timingSafeEqual(digest(given), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
