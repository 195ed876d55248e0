import type { ListOrder } from './canonical-text.ts';
import type { RuleKind } from './rule-kind.ts';
import { canAssign } from './unordered.ts';

/** Whether a value, or its absence, meets a rule. */
export type Holds = (value: unknown) => boolean;

/**
 * `contains`: the elements are there in this order, others may stand between them. Patterns: as many elements as
 * patterns, one for one. Both in any order when asked.
 */
export function holdsForList<Element>(
  kind: RuleKind,
  tests: readonly ((element: Element) => boolean)[],
  elements: readonly Element[],
  { unordered }: ListOrder,
): boolean {
  if (kind !== 'contains' && elements.length !== tests.length) return false;
  if (unordered) return canAssign(tests, elements);
  return kind === 'contains'
    ? isSubsequence(tests, elements)
    : elements.every((element, index) => tests[index]?.(element) === true);
}

/** Taking the first element that fits each rule leaves the most for the rules after it. */
function isSubsequence<Element>(
  tests: readonly ((element: Element) => boolean)[],
  elements: readonly Element[],
): boolean {
  let next = 0;
  for (const element of elements) {
    if (next === tests.length) return true;
    if (tests[next]?.(element) === true) next += 1;
  }
  return next === tests.length;
}
