/** Beyond this, differing lines are shown as removed and added without comparing them. */
const MAX_COMPARED_LINES = 1000;

/** The differing lines, each prefixed with `- ` or `+ `, without unchanged lines. Empty if the texts are equal. */
export function textDifference(before: string, after: string): string {
  const [old, young] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let tail = 0;
  const rest = Math.min(old.length, young.length) - start;
  while (tail < rest && old.at(-1 - tail) === young.at(-1 - tail)) tail += 1;
  const removed = old.slice(start, old.length - tail);
  const added = young.slice(start, young.length - tail);
  if (Math.max(removed.length, added.length) > MAX_COMPARED_LINES) return shown(removed, added);
  return compared(removed, added);
}

function shown(removed: readonly string[], added: readonly string[]): string {
  return [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join("\n");
}

/** Keeps the longest common subsequence of lines. */
function compared(removed: readonly string[], added: readonly string[]): string {
  const width = added.length + 1;
  const lengths = new Uint16Array((removed.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = removed.length - 1; row >= 0; row -= 1) {
    for (let column = added.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        removed[row] === added[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  }
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < removed.length || column < added.length) {
    const isSame = row < removed.length && column < added.length && removed[row] === added[column];
    if (isSame) {
      row += 1;
      column += 1;
    } else if (
      row < removed.length &&
      (column === added.length || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    )
      lines.push(`- ${removed[row++]}`);
    else lines.push(`+ ${added[column++]}`);
  }
  return lines.join("\n");
}
