import type { ConfigEdit, PlainRow } from "indusagi/config";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, orOfCluster } from "../../launch/internal.ts";
import { changeRow, toolRow } from "./change-row.ts";
import {
  editableRows,
  type NameRequest,
  readName,
  TARGET_FLAGS,
  targetRow,
  withPart,
} from "./edit-target.ts";

interface SwitchRequest extends NameRequest {
  readonly enable: boolean;
}

export const MCP_ENABLE: CommandSpec<SwitchRequest> = {
  name: "mcp enable",
  group: "everyday",
  operands: "(SERVER | TOOL)",
  summary: "Enable a server, or one of its tools.",
  onClusterState: true,
  flags: orOfCluster(TARGET_FLAGS),
  examples: ["indus mcp enable files"],
  read: (flags) => withPart(readName(flags, "mcp enable"), (named) => ({ ...named, enable: true })),
};

export const MCP_DISABLE: CommandSpec<SwitchRequest> = {
  name: "mcp disable",
  group: "everyday",
  operands: "(SERVER | TOOL)",
  summary: "Keep a server in its file without starting it, or hide one of its tools.",
  onClusterState: true,
  flags: orOfCluster(TARGET_FLAGS),
  examples: ["indus mcp disable files", "indus mcp disable files__write_file"],
  read: (flags) => withPart(readName(flags, "mcp disable"), (named) => ({ ...named, enable: false })),
};

/** `indus mcp enable` and `mcp disable`, for a server or for one of its tools. */
export async function switchServer(run: Run, { name, target, enable }: SwitchRequest): Promise<number> {
  const isServer = editableRows(run, target).some(({ written }) => written.name === name);
  if (isServer) {
    const row = await targetRow(run, name, target);
    if (!row) return 1;
    const done = `server ${JSON.stringify(name)} is ${enable ? "enabled" : "disabled"}`;
    return changeRow(run, row, { edits: switchedRow(enable), done });
  }
  const found = await toolRow(run, name, target);
  if (!found) return 1;
  const { row, tool } = found;
  const done = `tool ${JSON.stringify(name)} is ${enable ? "offered" : "hidden"}`;
  return changeRow(run, row, { edits: switchedTool(row.written.row, tool, enable), done });
}

/** A row may use either of two members. */
function switchedRow(enable: boolean): ConfigEdit[] {
  return enable ? [{ path: ["enabled"] }, { path: ["disabled"] }] : [{ path: ["enabled"], value: false }];
}

/** `excludeTools` hides a tool; `includeTools` offers only the tools in its list. */
function switchedTool(row: PlainRow, tool: string, enable: boolean): ConfigEdit[] {
  const isOther = row["excludeTools"] === undefined && row["disabledTools"] !== undefined;
  const member = isOther ? "disabledTools" : "excludeTools";
  const [excluded, included] = [listOf(row[member]), listOf(row["includeTools"])];
  if (!enable) return excluded.includes(tool) ? [] : [added(member, excluded, tool)];
  const isOnly = excluded.length === 1 && excluded[0] === tool;
  const removed: ConfigEdit = { path: isOnly ? [member] : [member, excluded.indexOf(tool)] };
  return [
    ...(excluded.includes(tool) ? [removed] : []),
    ...(included.length > 0 && !included.includes(tool) ? [added("includeTools", included, tool)] : []),
  ];
}

function added(member: string, list: readonly unknown[], tool: string): ConfigEdit {
  return list.length === 0 ? { path: [member], value: [tool] } : { path: [member, list.length], value: tool };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
