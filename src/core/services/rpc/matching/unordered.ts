/**
 * Most pairs of (rule, element) that are tried when a list is matched in any order; beyond, the list does not match.
 * `equals` is compared otherwise and knows no such limit.
 */
export const unorderedPairsMax = 100_000;

/**
 * True when each of the tests can have an element of its own that passes it. A maximum matching in a bipartite graph by
 * augmenting paths: trying elements in turn is not enough, as one element may pass several tests.
 */
export function canAssign<Element>(
  tests: readonly ((element: Element) => boolean)[],
  elements: readonly Element[],
): boolean {
  if (tests.length > elements.length || tests.length * elements.length > unorderedPairsMax) return false;
  // Each pair is tried once: a test may be a search through a long text.
  const elementsOf: (readonly number[])[] = [];
  for (const test of tests) {
    const passing = elements.flatMap((element, index) => (test(element) ? [index] : []));
    if (passing.length === 0) return false;
    elementsOf.push(passing);
  }
  const testOf = new Map<number, number>();
  return elementsOf.every((_, test) => assign(test, elementsOf, testOf, new Set()));
}

/** Gives the test an element that is free, or whose test can move to another. */
function assign(
  test: number,
  elementsOf: readonly (readonly number[])[],
  testOf: Map<number, number>,
  seen: Set<number>,
): boolean {
  for (const element of elementsOf[test] ?? []) {
    if (seen.has(element)) continue;
    seen.add(element);
    const other = testOf.get(element);
    if (other === undefined || assign(other, elementsOf, testOf, seen)) {
      testOf.set(element, test);
      return true;
    }
  }
  return false;
}
