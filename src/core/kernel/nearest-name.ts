/** The longest name that is compared, in UTF-16 code units. */
const nameMax = 50;

/** The one of `names` that `typed` was probably meant to be, or `undefined`; of equally near ones the first. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (typed.length > nameMax) return undefined;
  const near = names
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.min(2, Math.floor(name.length / 2)))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.name;
}

/** How many letters have to be added, dropped, changed or swapped with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        cost(last, column) + 1,
        cost(current, column - 1) + 1,
        cost(last, column - 1) + (same ? 0 : 1),
        swapped ? cost(beforeLast, column - 2) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return cost(last, to.length);
}

function cost(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
