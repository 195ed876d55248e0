import type { Json } from '../../../kernel/json.ts';
import type { HeaderMatcher, InputMatcher, StubDefinition } from '../stub.ts';

/**
 * How many fields a stub's rules declare, by which the more specific of two stubs is preferred: every scalar in
 * `equals`, `contains`, `matches` and `glob`, those of all `anyOf` items too; an empty list or object inside a rule
 * counts as one, an empty rule as none.
 */
export function declaredFields({ input, inputs, headers }: StubDefinition): number {
  const matchers = input === undefined ? (inputs ?? []) : [input];
  const ofInputs = matchers.reduce((sum, matcher) => sum + fieldsOfMatcher(matcher), 0);
  return ofInputs + (headers === undefined ? 0 : fieldsOfMatcher(headers));
}

function fieldsOfMatcher(matcher: InputMatcher | HeaderMatcher): number {
  const { equals, contains, matches, glob, anyOf } = matcher;
  let count = fieldsOfRule(equals) + fieldsOfRule(contains) + fieldsOfRule(matches) + fieldsOfRule(glob);
  for (const item of anyOf ?? []) count += fieldsOfMatcher(item);
  return count;
}

function fieldsOfRule(rule: Json | undefined): number {
  if (rule === undefined || rule === null) return 0;
  let count = 0;
  for (const item of Object.values(rule)) count += leaves(item);
  return count;
}

function leaves(json: Json): number {
  if (typeof json !== 'object' || json === null) return 1;
  let count = 0;
  for (const item of Object.values(json) as readonly Json[]) count += leaves(item);
  return count === 0 ? 1 : count;
}
