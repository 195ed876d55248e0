/** Longest text of which nearness is asked. */
export const nearTextMax = 256;

/** The text without what people overlook: case, and space around it. Long texts are folded to nothing. */
export function foldedText(text: string): string {
  return text.length > nearTextMax ? '' : text.trim().toLowerCase();
}

/**
 * Whether one text looks like a slip of the other: they differ in case or in space around, or in one place that is at
 * most a quarter of the longer.
 */
export function isNear(a: string, b: string): boolean {
  if (a.length > nearTextMax || b.length > nearTextMax) return false;
  const left = foldedText(a);
  const right = foldedText(b);
  if (left === right) return true;
  const longer = Math.max(left.length, right.length);
  return sharedEnds(left, right) * 4 >= longer * 3;
}

/** Characters that the beginnings and the ends have in common. */
function sharedEnds(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return start + end;
}
