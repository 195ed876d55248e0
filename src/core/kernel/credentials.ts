import { digestHex } from './digest.ts';

/**
 * Headers and metadata whose value is a credential, lower case. Edges replace what arrives in them by a
 * fingerprint before anything is logged, so a take can be handed to anyone.
 */
export const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'api-key',
  'x-api-key',
  'x-auth-token',
  'x-access-token',
  'x-goog-api-key',
  'private-token',
]);

export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name.toLowerCase());
}

const fingerprintPattern = /^(?:[A-Za-z][\w-]* )?fp_[0-9a-f]{32}$/;

/**
 * The same credential gives the same fingerprint, and the fingerprint does not give the credential back. A
 * scheme stays readable: `Bearer abc` becomes `Bearer fp_…`. A fingerprint is its own fingerprint.
 */
export function fingerprint(value: string): string {
  if (fingerprintPattern.test(value)) return value;
  const parts = /^([A-Za-z][\w-]*) +(\S.*)$/s.exec(value);
  if (parts === null) return `fp_${digestHex(value).slice(0, 32)}`;
  const [, scheme = '', secret = ''] = parts;
  return `${scheme} fp_${digestHex(secret).slice(0, 32)}`;
}
