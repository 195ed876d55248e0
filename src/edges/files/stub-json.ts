import { jsonOffsets, parseJsonText } from '../../core/kernel/json-text.ts';
import { jsonPointer, pointerSegments } from '../../core/kernel/json-pointer.ts';
import { textLines, type TextLines } from '../../core/kernel/text-lines.ts';
import { levelsMax, lineOfNearest, type StubText } from './stub-text.ts';

/** Reads the text of a JSON file: one stub or a list of stubs. */
export function readStubJson(text: string): StubText {
  const parsed = parseJsonText(text, levelsMax);
  const lines = textLines(text);
  if (!parsed.ok) {
    const message = `is not JSON: ${parsed.problem} (column ${lines.columnAt(parsed.offset)})`;
    return { ok: false, problems: [{ line: lines.lineAt(parsed.offset), message }] };
  }
  return {
    ok: true,
    payload: parsed.value,
    lines: parsed.itemOffsets.map((offset) => lines.lineAt(offset)),
    lineOf: lineFinder(text, parsed.itemOffsets, lines, Array.isArray(parsed.value)),
  };
}

// A stub with a problem is read a second time, to find the place of each of its values.
function lineFinder(text: string, itemOffsets: readonly number[], lines: TextLines, isList: boolean) {
  const offsetsOfItems = new Map<number, ReadonlyMap<string, number>>();
  return (pointer: string): number => {
    const segments = pointerSegments(pointer);
    const index = isList ? Number(segments[0] ?? 0) : 0;
    let offsets = offsetsOfItems.get(index);
    if (offsets === undefined) {
      offsets =
        itemOffsets[index] === undefined ? new Map() : jsonOffsets(text, itemOffsets[index], levelsMax);
      offsetsOfItems.set(index, offsets);
    }
    return lineOfNearest(jsonPointer(isList ? segments.slice(1) : segments), (nearest) => {
      const offset = offsets.get(nearest);
      return offset === undefined ? undefined : lines.lineAt(offset);
    });
  };
}
