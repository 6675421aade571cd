import type { ToolOverride } from "../../interop/contract/index.ts";
import { quoted } from "../report.ts";
import type { JsonMember } from "./json-tree.ts";
import type { RowReader } from "./row-reader.ts";

const MEMBERS = ["name", "description"] as const;

/** The names and descriptions of tools in `toolOverrides`. What cannot be used is reported and left out. */
export function toolOverridesOf(row: RowReader): { readonly [tool: string]: ToolOverride } | undefined {
  const member = row.member("toolOverrides");
  if (!member) return undefined;
  if (member.value.type !== "object") {
    row.warn(row.spotOf(member), `${FORM} and is ignored; write { "tool": { "name": "shown" } }`);
    return undefined;
  }
  const tools = [...row.membersIn(member.value, [...row.path, "toolOverrides"])];
  return Object.fromEntries(tools.map((tool) => [tool.key, overrideOf(row, tool)]));
}

const FORM = '"toolOverrides" is not an object';

function overrideOf(row: RowReader, tool: JsonMember): ToolOverride {
  const path = [...row.path, "toolOverrides", tool.key];
  if (tool.value.type !== "object") {
    row.warn(
      { offset: tool.offset, path },
      `the override of tool ${quoted(tool.key)} is ignored; write { "name": "…", "description": "…" }`,
    );
    return {};
  }
  const usable = [...row.membersIn(tool.value, path)].flatMap(({ key, offset, value }) => {
    const text: unknown = value.value;
    if (MEMBERS.some((name) => name === key) && typeof text === "string" && text.trim() !== "")
      return [[key, text] as const];
    const known = `use ${MEMBERS.map(quoted).join(" and ")} with texts`;
    row.warn(
      { offset, path: [...path, key] },
      `${quoted(key)} of tool ${quoted(tool.key)} is ignored; ${known}`,
    );
    return [];
  });
  return Object.fromEntries(usable);
}
