import type { ConfigPath, LaunchAsWritten } from "../contract.ts";
import type { JsonMember } from "./json-tree.ts";

/** The position and the members of a row. */
export interface RowMembers {
  readonly path: ConfigPath;
  member(name: string): JsonMember | undefined;
}

/** Whether a row is written in the form of opencode: it is directly under `mcp`, or its `type` and `command` are opencode's. */
export function isOpencodeRow(row: RowMembers): boolean {
  if (row.path[0] === "mcp" && row.path.length === 2) return true;
  const type: unknown = row.member("type")?.value.value;
  return type === "remote" || (type === "local" && row.member("command")?.value.type === "array");
}

/** A string of such a row with our spelling of its variables: `{env:NAME}` becomes `${env:NAME}`. */
export function fromOpencodeSyntax(text: string): string {
  return text.replaceAll(/(?<!\$)\{env:([^{}]*)\}/g, (_, name: string) => `\${env:${name}}`);
}

/** The launch of such a row with our spelling in all its values: what they mean must not depend on the form of the row. */
export function launchFromOpencodeSyntax(launch: LaunchAsWritten): LaunchAsWritten {
  return JSON.parse(JSON.stringify(launch), (_, value: unknown) =>
    typeof value === "string" ? fromOpencodeSyntax(value) : value,
  ) as LaunchAsWritten;
}

/** Whether a string takes the content of a file, which is not supported: any file could be sent to a server that way. */
export function usesFileContent(text: string): boolean {
  return /(?<!\$)\{file:[^{}]*\}/.test(text);
}
