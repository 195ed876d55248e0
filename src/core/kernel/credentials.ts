import { digestHex } from './digest.ts';

const names = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'api-key',
  'x-api-key',
  'x-auth-token',
  'x-access-token',
  'x-goog-api-key',
  'x-amz-security-token',
  'x-vault-token',
  'x-gitlab-token',
  'x-csrf-token',
  'x-session-token',
  'x-auth-key',
  'private-token',
];

/**
 * Headers and metadata whose value is a credential, lower case. Edges replace what arrives in them by a
 * fingerprint before anything is logged, so a take can be handed to anyone. gRPC metadata may carry the
 * same as bytes, under a name that ends in `-bin`.
 */
export const credentialHeaders: ReadonlySet<string> = new Set([
  ...names,
  ...names.map((name) => `${name}-bin`),
]);

export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name.toLowerCase());
}

// Those of IANA's registry, and what else is in use. Any other first word may be a credential itself.
const schemes =
  'apikey|aws4-hmac-sha256|basic|bearer|digest|dpop|gnap|hoba|key|mutual|negotiate|ntlm|oauth|privatetoken|' +
  'scram-sha-1|scram-sha-256|sharedkey|token|vapid';
const schemePattern = new RegExp(`^(${schemes}) +(\\S.*)$`, 'is');
const fingerprintPattern = /^fp_[0-9a-f]{32}$/;

/**
 * The same credential gives the same fingerprint, and the fingerprint does not give the credential back. A known scheme
 * stays readable: `Bearer abc` becomes `Bearer fp_…`. A fingerprint is its own fingerprint.
 */
export function fingerprint(value: string): string {
  const [, scheme, secret = value] = schemePattern.exec(value) ?? [];
  const made = fingerprintPattern.test(secret) ? secret : `fp_${digestHex(secret).slice(0, 32)}`;
  return scheme === undefined ? made : `${scheme} ${made}`;
}
