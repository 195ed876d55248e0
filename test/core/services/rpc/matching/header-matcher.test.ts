import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../../../src/core/kernel/credentials.ts';
import type { Headers } from '../../../../../src/core/services/rpc/events.ts';
import { compileHeaders, headerTexts } from '../../../../../src/core/services/rpc/matching/header-matcher.ts';
import { explainHeaders } from '../../../../../src/core/services/rpc/matching/explain-headers.ts';
import { Problems } from '../../../../../src/core/services/rpc/matching/problems.ts';
import type { HeaderMatcher } from '../../../../../src/core/services/rpc/stub.ts';

function matches(matcher: HeaderMatcher, headers: Headers): boolean {
  return compileHeaders(matcher).matches(headerTexts(headers));
}

function problemsOf(matcher: HeaderMatcher): readonly string[] {
  const problems = new Problems();
  compileHeaders(matcher, problems);
  return problems.found.map(({ pointer, message }) => `${pointer} ${message.slice(0, 13)}`);
}

const bearer: Headers = [['authorization', fingerprint('Bearer secret-token')]];

describe('header rules', () => {
  it('take names in any case', () => {
    expect(matches({ equals: { 'X-Tenant': 'eu' } }, [['x-tenant', 'eu']])).toBe(true);
    expect(matches({ equals: { 'x-tenant': 'eu' } }, [['X-TENANT', 'eu']])).toBe(true);
    expect(matches({ equals: { 'x-tenant': 'EU' } }, [['x-tenant', 'eu']])).toBe(false);
  });

  it.each<[Headers]>([
    [
      [
        ['x', 'a'],
        ['x', 'b'],
      ],
    ],
    [[['x', 'a, b']]],
    [[['x', 'a;b']]],
  ])('join several values with a semicolon, however %j arrived', (headers) => {
    expect(matches({ equals: { x: 'a;b' } }, headers)).toBe(true);
    expect(matches({ equals: { x: 'a, b' } }, headers)).toBe(true);
    expect(matches({ matches: { x: '^a;b$' } }, headers)).toBe(true);
    expect(matches({ equals: { x: 'a' } }, headers)).toBe(false);
  });

  it('find a value that has a comma of its own', () => {
    const date: Headers = [['date', 'Mon, 01 Jan 2026']];
    expect(matches({ equals: { date: 'Mon, 01 Jan 2026' } }, date)).toBe(true);
    expect(matches({ contains: { date: 'Mon, 01' } }, date)).toBe(true);
    expect(matches({ glob: { date: 'Mon, *' } }, date)).toBe(true);
  });

  it('compare binary headers as bytes', () => {
    expect(matches({ equals: { 'trace-bin': '-_8' } }, [['trace-bin', '+/8=']])).toBe(true);
    expect(matches({ equals: { 'trace-bin': 'AQI=' } }, [['trace-bin', '+/8=']])).toBe(false);
  });

  it('never hold for a header that is not there', () => {
    expect(matches({ equals: { x: '' } }, [])).toBe(false);
    expect(matches({ contains: { x: '' } }, [])).toBe(false);
    expect(matches({ matches: { x: '' } }, [])).toBe(false);
    expect(matches({}, [])).toBe(true);
  });

  it('need all of the base and one item of anyOf', () => {
    const matcher: HeaderMatcher = {
      contains: { x: 'a' },
      anyOf: [{ equals: { y: '1' } }, { glob: { y: '2*' } }],
    };
    expect(
      matches(matcher, [
        ['x', 'ab'],
        ['y', '22'],
      ]),
    ).toBe(true);
    expect(
      matches(matcher, [
        ['x', 'ab'],
        ['y', '3'],
      ]),
    ).toBe(false);
    expect(
      matches(matcher, [
        ['x', 'b'],
        ['y', '1'],
      ]),
    ).toBe(false);
  });

  it('that ask one header for two values never hold', () => {
    expect(matches({ equals: { x: 'a', X: 'b' } }, [['x', 'a']])).toBe(false);
    expect(matches({ equals: { x: 'a', X: 'a' } }, [['x', 'a']])).toBe(true);
  });
});

describe('rules on credentials', () => {
  it('compare fingerprints, whether the rule has the credential or its fingerprint', () => {
    expect(matches({ equals: { Authorization: 'Bearer secret-token' } }, bearer)).toBe(true);
    expect(matches({ equals: { authorization: fingerprint('Bearer secret-token') } }, bearer)).toBe(true);
    expect(matches({ equals: { authorization: 'Bearer other' } }, bearer)).toBe(false);
  });

  it('see the scheme, and not the secret', () => {
    expect(matches({ matches: { authorization: '^Bearer .+' } }, bearer)).toBe(true);
    expect(matches({ contains: { authorization: 'secret' } }, bearer)).toBe(false);
  });

  it('are warned of when they hardly ever hold', () => {
    expect(problemsOf({ contains: { Authorization: 'secret' } })).toEqual([
      '/contains/Authorization hardly ever m',
    ]);
    expect(problemsOf({ matches: { 'x-api-key': '^svc_live' } })).toEqual([
      '/matches/x-api-key hardly ever m',
    ]);
    expect(
      problemsOf({ contains: { authorization: 'Bearer ' }, glob: { authorization: 'Basic *' } }),
    ).toEqual([]);
  });
});

describe('the explanation of header rules', () => {
  it('has each rule with what came', () => {
    const compiled = compileHeaders({ equals: { 'X-A': 'one', y: '2' }, contains: { z: 'q' } });
    expect(
      explainHeaders(
        compiled,
        headerTexts([
          ['x-a', 'One'],
          ['y', '2'],
        ]),
      ),
    ).toEqual([
      { rule: 'equals', path: 'x-a', expected: 'one', actual: 'One', ok: false, hint: 'differs in case' },
      { rule: 'equals', path: 'y', expected: '2', actual: '2', ok: true },
      {
        rule: 'contains',
        path: 'z',
        expected: 'q',
        actual: null,
        ok: false,
        hint: 'the call has no such header',
      },
    ]);
  });
});
