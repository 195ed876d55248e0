/** Longest text of which nearness is asked, in UTF-16 code units. */
export const nearTextMax = 256;

/** The text without what people overlook: case, and space around it; undefined for a long one. */
export function foldedText(text: string): string | undefined {
  return text.length > nearTextMax ? undefined : text.trim().toLowerCase();
}

/**
 * Whether one folded text looks like a slip of the other: they are the same, or differ in one place that is at most a
 * quarter of the longer.
 */
export function isNear(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  if (left === right) return true;
  const longer = Math.max(left.length, right.length);
  return Math.min(left.length, right.length) * 4 >= longer * 3 && sharedEnds(left, right) * 4 >= longer * 3;
}

/** Characters that the beginnings and the ends have in common. */
function sharedEnds(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) {
    end += 1;
  }
  return start + end;
}
