import { isIPv4 } from 'node:net';
import { CommandFailure } from '../command-failure.ts';

/** Administration can read and change everything: off loopback it needs a token, or the process refuses to start. */
export function refuseOpenAdministration(host: string, token: string | undefined): void {
  if (isLoopback(host) || (token !== undefined && token !== '')) return;
  throw new CommandFailure(`administration on ${host} would be open to the network without a token`, {
    code: 'DT_ADMIN_UNPROTECTED',
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
