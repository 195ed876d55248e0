import type { Json } from '../../../kernel/json.ts';

/** What a person may have overlooked in a value that is not the expected one. */
export function hintFor(expected: Json, actual: Json, isUnset: boolean): string | undefined {
  if (typeof expected === 'string' && typeof actual === 'string') return textHint(expected, actual, isUnset);
  if (typeof expected === 'number' && typeof actual === 'string') return 'number given as string';
  if (typeof expected === 'string' && typeof actual === 'number') return 'string given as number';
  if (Array.isArray(expected) && Array.isArray(actual)) return listHint(expected, actual);
  return isUnset ? 'default value' : undefined;
}

function textHint(expected: string, actual: string, isUnset: boolean): string | undefined {
  if (expected !== '' && (isUnset || actual === '')) return 'default value';
  if (expected === actual.trimEnd()) return 'trailing space';
  if (expected === actual.trimStart()) return 'leading space';
  if (expected === actual.trim()) return 'space around it';
  if (expected.trim() === actual.trim()) return 'space in the rule';
  if (expected.toLowerCase() === actual.toLowerCase()) return 'differs in case';
  return expected.trim().toLowerCase() === actual.trim().toLowerCase()
    ? 'differs in case and space'
    : undefined;
}

function listHint(expected: readonly Json[], actual: readonly Json[]): string | undefined {
  if (expected.length !== actual.length) return `${actual.length} elements instead of ${expected.length}`;
  return isReordered(expected, actual) ? 'in another order' : undefined;
}

/** The same elements, in another order. */
export function isReordered(expected: readonly Json[], actual: readonly Json[]): boolean {
  const [left = [], right = []] = [expected, actual].map((list) => list.map((item) => JSON.stringify(item)));
  return left.join() !== right.join() && left.toSorted().join() === right.toSorted().join();
}
