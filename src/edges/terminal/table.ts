import { fitted, padded, widthOf } from './width.ts';
import type { Paint, Terminal } from './terminal.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Gives way when the table is wider than the terminal; without it, the column keeps its width. */
  readonly shrinks?: boolean;
  readonly paint?: (text: string) => string;
}

/** Writes a table as wide as the terminal allows. Cells go through `printable` first. */
export function writeTable(
  terminal: Terminal,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): void {
  for (const line of tableLines(columns, rows, terminal.columns, terminal.paint)) terminal.line(line);
}

/**
 * Lines of a table that fits in `columns` (infinite: nothing is cut). Cells are plain printable text; colour is put
 * on after the cutting.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  room: number,
  paint: Paint,
): readonly string[] {
  const widths = sharedOut(columns, naturalWidths(columns, rows), room);
  const head = columns.map((column, at) => paint('dim', placed(column.title, column, widths[at] ?? 0)));
  const body = rows.map((row) =>
    columns.map((column, at) => {
      const text = placed(row[at] ?? '', column, widths[at] ?? 0);
      return column.paint === undefined ? text : column.paint(text);
    }),
  );
  return [head, ...body].map((cells) => cells.join(gap).trimEnd());
}

const gap = '  ';
const shrunkenColumnsMin = 8;
/** Wider cells are cut even where the output is not a terminal. */
const tableColumnsMax = 2_000;

function naturalWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly number[] {
  return columns.map((column, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), widthOf(column.title)),
  );
}

/** Takes column after column of the screen from the widest that may shrink, until all fits. */
function sharedOut(columns: readonly Column[], natural: readonly number[], room: number): readonly number[] {
  const widths = natural.map((width) => Math.min(width, tableColumnsMax));
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - room;
  for (; excess > 0; excess -= 1) {
    const widest = widestShrinking(columns, widths);
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function widestShrinking(columns: readonly Column[], widths: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const [at, width] of widths.entries()) {
    if (columns[at]?.shrinks !== true || width <= shrunkenColumnsMin) continue;
    if (found === undefined || width > (widths[found] ?? 0)) found = at;
  }
  return found;
}

function placed(text: string, column: Column, width: number): string {
  return padded(fitted(text, width), width, column.align);
}
