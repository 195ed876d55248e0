/** Tells the lines of offsets into one text. Lines and columns count from 1, columns in UTF-16 code units. */
export interface TextLines {
  lineAt(offset: number): number;
  columnAt(offset: number): number;
}

export function textLines(text: string): TextLines {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineAt = (offset: number): number => countUpTo(starts, offset);
  return { lineAt, columnAt: (offset) => offset - (starts[lineAt(offset) - 1] ?? 0) + 1 };
}

/** How many of the ascending numbers are not above `limit`. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
