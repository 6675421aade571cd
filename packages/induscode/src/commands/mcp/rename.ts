import type { ConfigEdit, PlainRow } from "indusagi/config";
import { isRecord } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, orOfCluster, type ParsedFlags, type UsageProblem } from "../../launch/internal.ts";
import { shownToolName } from "../../servers/internal.ts";
import { changeRow, type ToolRow, toolRow } from "./change-row.ts";
import { type EditTarget, TARGET_FLAGS, withTarget } from "./edit-target.ts";

interface ShownToolRequest {
  readonly target: EditTarget;
  readonly tool: string;
  /** Empty: restore the server's own. */
  readonly text: string;
}

export const MCP_RENAME: CommandSpec<ShownToolRequest> = {
  name: "mcp rename",
  group: "everyday",
  operands: "TOOL NAME",
  summary: 'Show a tool under another name: SERVER__NAME. An empty name ("") restores its own.',
  onClusterState: true,
  flags: orOfCluster(TARGET_FLAGS),
  examples: ["indus mcp rename files__write_file save"],
  read: (flags) => readShownTool(flags, "mcp rename", "a new name"),
};

export const MCP_DESCRIBE: CommandSpec<ShownToolRequest> = {
  name: "mcp describe",
  group: "everyday",
  operands: "TOOL TEXT",
  summary: 'Show a tool with another description. An empty text ("") restores its own.',
  onClusterState: true,
  flags: orOfCluster(TARGET_FLAGS),
  examples: ["indus mcp describe files__write_file Saves_a_file."],
  read: (flags) => readShownTool(flags, "mcp describe", "a description"),
};

function readShownTool(flags: ParsedFlags, command: string, what: string): ShownToolRequest | UsageProblem {
  const [tool, ...words] = [...flags.operands, ...flags.afterEnd];
  if (tool === undefined || words.length === 0) return { problem: `${command} needs a tool and ${what}` };
  return withTarget(flags, (target) => ({ target, tool, text: words.join(" ").trim() }));
}

/** `indus mcp rename`: shows a tool under another name. */
export async function renameTool(run: Run, { tool: shown, text, target }: ShownToolRequest): Promise<number> {
  const found = await toolRow(run, shown, target);
  if (!found) return 1;
  const server = found.row.written.name;
  // Users may also type the whole shown name.
  const name = text.startsWith(`${server}__`) ? text.slice(server.length + 2) : text;
  const shownAs = nameOf(server, name === "" ? found.tool : name);
  if (!/^[A-Za-z0-9_-]*$/.test(name)) {
    run.report(`${JSON.stringify(name)} is not a valid tool name; use letters, digits, _ and -`);
    return 2;
  }
  const isOwn = name === "" || name === found.tool;
  const edits = overrideEdits(found, "name", isOwn ? undefined : name);
  return changeRow(run, found.row, {
    edits,
    done: `tool ${JSON.stringify(found.tool)} is shown as ${shownAs}`,
  });
}

/** `indus mcp describe`: shows a tool with another description. */
export async function setToolDescription(
  run: Run,
  { tool: shown, text, target }: ShownToolRequest,
): Promise<number> {
  const found = await toolRow(run, shown, target);
  if (!found) return 1;
  const edits = overrideEdits(found, "description", text === "" ? undefined : text);
  const done = `tool ${JSON.stringify(shown)} has ${text === "" ? "its own" : "a new"} description`;
  return changeRow(run, found.row, { edits, done });
}

function nameOf(server: string, tool: string): string {
  return shownToolName({ kind: "stdio", id: server, command: "" }, tool);
}

/** Sets or removes one member of a tool's override. Leaves no empty objects. */
function overrideEdits({ row, tool }: ToolRow, member: string, value: string | undefined): ConfigEdit[] {
  const all = objectOf(row.written.row["toolOverrides"]);
  if (value !== undefined) return [{ path: ["toolOverrides", tool, member], value }];
  const isLast = Object.keys(objectOf(all[tool])).every((name) => name === member);
  const isOnly = Object.keys(all).every((name) => name === tool);
  if (!isLast) return [{ path: ["toolOverrides", tool, member] }];
  return [{ path: isOnly ? ["toolOverrides"] : ["toolOverrides", tool] }];
}

function objectOf(value: unknown): PlainRow {
  return isRecord(value) ? value : {};
}
