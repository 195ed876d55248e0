import { isCredentialHeader } from '../../../kernel/credentials.ts';
import type { HeaderRules } from '../stub.ts';
import type { FieldResult } from './explain-input.ts';
import { compileHeaders, equalsRule, type CompiledHeaders, type HeaderTexts } from './header-matcher.ts';
import { hintFor } from './hint.ts';

/** Every rule on headers, those that hold too; `path` is the name of the header. */
export function explainHeaders({ matcher }: CompiledHeaders, headers: HeaderTexts): readonly FieldResult[] {
  const items = (matcher.anyOf ?? []).flatMap((item, anyOf) =>
    explainRules(item, headers).map((result) => ({ ...result, anyOf })),
  );
  return [...explainRules(matcher, headers), ...items];
}

function explainRules(rules: HeaderRules, headers: HeaderTexts): readonly FieldResult[] {
  return (['equals', 'contains', 'matches', 'glob'] as const).flatMap((rule) =>
    Object.entries(rules[rule] ?? {}).map(([given, value]): FieldResult => {
      const { name, text } = equalsRule(given, value);
      const actual = headers.text(name) ?? null;
      const ok = compileHeaders({ [rule]: { [given]: value } }).matches(headers);
      const expected = rule === 'equals' ? text : value;
      const hint = ok ? undefined : headerHint(name, expected, actual);
      return { rule, path: name, expected, actual, ok, ...(hint !== undefined && { hint }) };
    }),
  );
}

function headerHint(name: string, expected: string, actual: string | null): string | undefined {
  if (actual === null) return 'the call has no such header';
  const hint = hintFor(expected, actual, false);
  return hint ?? (isCredentialHeader(name) ? 'a credential is compared by its fingerprint' : undefined);
}
