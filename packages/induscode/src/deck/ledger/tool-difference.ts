import type { ToolDescriptor } from "indusagi/llm";
import { textDifference } from "./text-difference.ts";
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
