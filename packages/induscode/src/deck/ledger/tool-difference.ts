import type { ToolDescriptor } from "indusagi/llm";
import { selfDescription, type ToolSelfDescription } from "./tool-self-description.ts";

const PARTS: readonly (readonly [name: keyof ToolSelfDescription, label: string])[] = [
  ["title", "title"],
  ["description", "description"],
  ["annotations", "annotations"],
  ["inputSchema", "input schema"],
  ["outputSchema", "output schema"],
];

/** What a tool's server changed in its description, as readable text: the differing lines, by part. Empty if nothing. */
export function toolDifference(before: ToolDescriptor, after: ToolDescriptor): string {
  return formDifference(selfDescription(before), selfDescription(after));
}

/** The same for two forms. */
export function formDifference(old: ToolSelfDescription, young: ToolSelfDescription): string {
  return PARTS.flatMap(([name, label]) => {
    const lines = textDifference(readable(old[name]), readable(young[name]));
    return lines === "" ? [] : [`${label}:\n${lines}`];
  }).join("\n");
}

/** Sorted, one member per line: reordering members is not a change. */
function readable(value: unknown): string {
  if (value === undefined) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(sorted(value), null, 1);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

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
