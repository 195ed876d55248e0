import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../../src/core/kernel/credentials.ts';
import { utf8Text } from '../../../../src/core/kernel/bytes.ts';
import { maskStubCredentials } from '../../../../src/core/services/rpc/stub-credentials.ts';
import { stubsLoadedInput } from '../../../../src/core/services/rpc/stubs-loaded.ts';
import type { HeaderMatcher, StubDefinition } from '../../../../src/core/services/rpc/stub.ts';

const least: StubDefinition = { service: 'a', method: 'b', output: { data: {} } };
const secret = 'Bearer s3cret-token';

const headerRules = fc.dictionary(
  fc.constantFrom('authorization', 'Authorization', 'x-api-key', 'cookie', 'x-tenant', '__proto__'),
  fc.oneof(fc.string(), fc.constant(secret)),
);
const matcher: fc.Arbitrary<HeaderMatcher> = fc.record(
  {
    equals: headerRules,
    contains: headerRules,
    anyOf: fc.array(fc.record({ equals: headerRules }), { minLength: 1 }),
  },
  { requiredKeys: [] },
);

test('masking twice is masking once', () => {
  fc.assert(
    fc.property(matcher, matcher, (headers, inEffect) => {
      const stub = {
        ...least,
        headers,
        effects: [{ action: 'upsert' as const, stub: { headers: inEffect as never } }],
      };
      const masked = maskStubCredentials(stub);
      expect(maskStubCredentials(masked)).toBe(masked);
    }),
  );
});

test('no planted credential is left, wherever a rule may name one', () => {
  const headers = {
    equals: { Authorization: secret },
    contains: { authorization: secret },
    anyOf: [{ equals: { authorization: secret } }],
  };
  const stub: StubDefinition = {
    ...least,
    headers,
    effects: [
      { action: 'upsert', stub: { headers } },
      { action: 'delete', id: 'x' },
    ],
  };
  const input = stubsLoadedInput({ definitions: [stub], source: { from: 'api' } });
  expect(JSON.stringify(stub)).toContain('s3cret');
  expect(utf8Text(input.bytes)).not.toContain('s3cret');
  expect(utf8Text(input.bytes).split(fingerprint(secret))).toHaveLength(7);
});

test('a stub without a credential comes back as it is', () => {
  const stub: StubDefinition = {
    ...least,
    headers: { equals: { 'x-tenant': 'acme' }, matches: { authorization: '^Bearer ' } },
  };
  expect(maskStubCredentials(stub)).toBe(stub);
});

describe('what stays', () => {
  test.each<readonly [HeaderMatcher]>([
    [{ contains: { authorization: 'Bearer' } }],
    [{ contains: { authorization: 'Bearer ' } }],
    [{ equals: { authorization: 'Bearer {{.Request.token}}' } }],
  ])('%j', (headers) => {
    expect(maskStubCredentials({ ...least, headers }).headers).toEqual(headers);
  });
});

test('the input of a load holds the stubs as canonical JSON', () => {
  const input = stubsLoadedInput({
    definitions: [{ service: 'b', output: { data: 1 }, method: 'a' }],
    source: { from: 'file', file: 'a.yaml' },
    lines: [3],
    replacesFile: true,
    session: 's',
  });
  expect({ ...input, bytes: utf8Text(input.bytes) }).toEqual({
    kind: 'StubsLoaded',
    source: { from: 'file', file: 'a.yaml' },
    lines: [3],
    replacesFile: true,
    session: 's',
    bytes: '[{"method":"a","output":{"data":1},"service":"b"}]',
  });
});
