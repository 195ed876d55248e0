import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprint, isCredentialHeader } from '../../../src/core/kernel/credentials.ts';

const secret = fc.string({ minLength: 8, unit: 'grapheme-ascii' }).filter((text) => text.trim() === text);

test('a fingerprint does not hold the credential', () => {
  fc.assert(
    fc.property(secret, (token) => {
      expect(fingerprint(`Bearer ${token}`)).not.toContain(token);
      expect(fingerprint(token)).not.toContain(token);
    }),
  );
});

test('a fingerprint is its own fingerprint', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(fingerprint(fingerprint(value))).toBe(fingerprint(value));
    }),
  );
});

test('the scheme stays readable, and other tokens have other fingerprints', () => {
  expect(fingerprint('Bearer one')).toMatch(/^Bearer fp_[0-9a-f]{32}$/);
  expect(fingerprint('Bearer one')).not.toBe(fingerprint('Bearer two'));
});

test('a first word that is no known scheme is part of the credential', () => {
  expect(fingerprint('hunter2 more')).toMatch(/^fp_[0-9a-f]{32}$/);
  expect(fingerprint(`hunter2 ${fingerprint('more')}`)).toMatch(/^fp_[0-9a-f]{32}$/);
});

test('header names count in any case', () => {
  expect(isCredentialHeader('Authorization')).toBe(true);
  expect(isCredentialHeader('x-request-id')).toBe(false);
});
