import { base64, fromBase64 } from '../../../kernel/bytes.ts';
import { fingerprint, isCredentialHeader } from '../../../kernel/credentials.ts';
import type { Headers } from '../events.ts';
import type { HeaderMatcher, HeaderPatterns, HeaderRules } from '../stub.ts';
import { Problems } from './problems.ts';
import { patternTest, type RuleKind } from './rule-kind.ts';
import type { TextTest } from './pattern.ts';

/** The headers of one call, by name. */
export interface HeaderTexts {
  /** All values of a header joined with `;`; undefined when the call has none of that name. */
  text(name: string): string | undefined;
  /** The same, with the values as they came: a date is one value although it has a comma. */
  rawText(name: string): string | undefined;
}

/** That the header has the value with this text; `name` is in lower case. */
export interface HeaderEqualsRule {
  readonly name: string;
  readonly text: string;
}

export interface CompiledHeaders {
  readonly matcher: HeaderMatcher;
  readonly equals: readonly HeaderEqualsRule[] | null;
  readonly alternatives: readonly (readonly HeaderEqualsRule[])[];
  matches(headers: HeaderTexts): boolean;
}

/** Read when they are first asked for: most stubs have no rules on headers. */
export function headerTexts(headers: Headers): HeaderTexts {
  let raw: ReadonlyMap<string, string> | undefined;
  const rawText = (name: string): string | undefined => {
    raw ??= joinedValues(headers);
    return raw.get(name);
  };
  return {
    rawText,
    text: (name) => {
      const text = rawText(name);
      return text === undefined ? undefined : normalText(name, text);
    },
  };
}

function joinedValues(headers: Headers): ReadonlyMap<string, string> {
  const joined = new Map<string, string>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before};${value}`);
  }
  return joined;
}

/** Values that arrived joined with a comma stand apart; binary ones are base64 with padding. */
function normalText(name: string, value: string): string {
  if (!name.endsWith('-bin')) return value.includes(', ') ? value.split(', ').join(';') : value;
  return value
    .split(/[;,] ?/)
    .map(paddedBase64)
    .join(';');
}

function paddedBase64(text: string): string {
  try {
    return base64(fromBase64(text));
  } catch {
    return text;
  }
}

/** Problems are rules that can never be met, and those on credentials that hardly can. */
export function compileHeaders(matcher: HeaderMatcher, problems: Problems = new Problems()): CompiledHeaders {
  const base = compileRules(matcher, problems);
  const items = matcher.anyOf
    ?.map((item, index) => compileRules(item, problems.at('anyOf').at(String(index))))
    .filter((item) => item !== undefined);
  if (base === undefined || items?.length === 0) {
    return { matcher, equals: null, alternatives: [], matches: () => false };
  }
  return {
    matcher,
    equals: base.equals,
    alternatives: items?.map((item) => item.equals) ?? noAlternatives,
    matches: (headers) =>
      rulesHold(base, headers) && (items === undefined || items.some((item) => rulesHold(item, headers))),
  };
}

const noAlternatives: readonly (readonly HeaderEqualsRule[])[] = [[]];

interface CompiledRules {
  readonly equals: readonly HeaderEqualsRule[];
  readonly others: readonly ((headers: HeaderTexts) => boolean)[];
}

function rulesHold({ equals, others }: CompiledRules, headers: HeaderTexts): boolean {
  for (const { name, text } of equals) if (headers.text(name) !== text) return false;
  for (const holds of others) if (!holds(headers)) return false;
  return true;
}

function compileRules(rules: HeaderRules, problems: Problems): CompiledRules | undefined {
  const equals = entriesOf(rules.equals).map(([name, value]) => equalsRule(name, value));
  const kinds: readonly RuleKind[] = ['contains', 'matches', 'glob'];
  const others = kinds.flatMap((kind) =>
    entriesOf(rules[kind]).map(([name, value]) => textRule(kind, name, value, problems.at(kind).at(name))),
  );
  if (!others.every((test) => test !== undefined) || contradicts(equals)) return undefined;
  return { equals: [...new Map(equals.map((rule) => [rule.name, rule])).values()], others };
}

function entriesOf(patterns: HeaderPatterns | null | undefined): readonly (readonly [string, string])[] {
  return patterns === undefined || patterns === null ? [] : Object.entries(patterns);
}

/** What arrives in a credential header is a fingerprint, so a fingerprint is expected; it is its own fingerprint. */
export function equalsRule(given: string, value: string): HeaderEqualsRule {
  const name = given.toLowerCase();
  return { name, text: isCredentialHeader(name) ? fingerprint(value) : normalText(name, value) };
}

function contradicts(equals: readonly HeaderEqualsRule[]): boolean {
  return equals.some((rule) => equals.some((other) => other.name === rule.name && other.text !== rule.text));
}

function textRule(
  kind: RuleKind,
  given: string,
  value: string,
  problems: Problems,
): ((headers: HeaderTexts) => boolean) | undefined {
  const name = given.toLowerCase();
  const test: TextTest | undefined =
    kind === 'contains' ? (text) => text.includes(value) : patternTest(kind, value, problems);
  if (test === undefined) return undefined;
  if (isCredentialHeader(name) && !canMeetFingerprint(kind, value, test)) problems.note(hardlyMet);
  return (headers) => {
    const text = headers.text(name);
    if (text === undefined) return false;
    if (test(text)) return true;
    const raw = headers.rawText(name) ?? text;
    return raw !== text && test(raw);
  };
}

const hardlyMet =
  'hardly ever matches: a credential arrives as its fingerprint, such as "Bearer fp_0123…"; ask for the scheme, ' +
  'or use equals with the whole value';

const schemes = [
  '',
  'Bearer ',
  'bearer ',
  'Basic ',
  'basic ',
  'Token ',
  'token ',
  'Digest ',
  'Negotiate ',
  'ApiKey ',
];
const samples = schemes.flatMap((scheme) => [
  `${scheme}fp_0123456789abcdef0123456789abcdef`,
  `${scheme}fp_fedcba9876543210fedcba9876543210`,
]);

function canMeetFingerprint(kind: RuleKind, value: string, test: TextTest): boolean {
  return samples.some((sample) => test(sample)) || (kind === 'contains' && /fp_[0-9a-f]{0,32}$/.test(value));
}
