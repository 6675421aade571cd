import type { ConfigPath, LaunchAsWritten } from "../contract.ts";
import type { JsonMember } from "./json-tree.ts";

/** The position and the members of a row. */
export interface RowMembers {
  readonly path: ConfigPath;
  member(name: string): JsonMember | undefined;
}

/** Whether a row is in opencode's format: it is directly under `mcp`, or its `type` and `command` are opencode's. */
export function isOpencodeRow(row: RowMembers): boolean {
  if (row.path[0] === "mcp" && row.path.length === 2) return true;
  const type: unknown = row.member("type")?.value.value;
  return type === "remote" || (type === "local" && row.member("command")?.value.type === "array");
}

/** Rewrites the variables in a string of such a row: `{env:NAME}` becomes `${env:NAME}`. */
export function fromOpencodeSyntax(text: string): string {
  return text.replaceAll(/(?<!\$)\{env:([^{}]*)\}/g, (_, name: string) => `\${env:${name}}`);
}

/** The same for all values of a launch: their meaning must not depend on the row's format. */
export function launchFromOpencodeSyntax(launch: LaunchAsWritten): LaunchAsWritten {
  return JSON.parse(JSON.stringify(launch), (_, value: unknown) =>
    typeof value === "string" ? fromOpencodeSyntax(value) : value,
  ) as LaunchAsWritten;
}

/** Whether a string includes the content of a file. Not supported: it could send any file to a server. */
export function usesFileContent(text: string): boolean {
  return /(?<!\$)\{file:[^{}]*\}/.test(text);
}
