import stringWidth from 'string-width';

/** How many columns a line takes on a terminal: wide characters take two, colour takes none. */
export function widthOf(text: string): number {
  // Most lines are plain ASCII, and there the length is the width.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** The text, or as much of its beginning as fits with `…` at the end. For text without colour. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padded(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return align === 'left' ? text + space : space + text;
}
