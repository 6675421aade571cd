import { findTool, knownToolNames, type Run } from "../../../boot/internal.ts";
import type { EditTarget } from "../../../launch/internal.ts";
import { suggestion } from "../../../screen/index.ts";
import { type PlacedRow, rowsOf, targetRow } from "./target-row.ts";

/** A tool, and the row of its server. */
export interface ToolRow {
  readonly row: PlacedRow;
  /** The name on the server. */
  readonly tool: string;
}

/**
 * The tool with this shown name, from the rows and from what the servers listed when they last ran. Nothing is started.
 * Undefined, and reported, if no server can have such a tool.
 */
export async function toolRow(run: Run, shown: string, target: EditTarget): Promise<ToolRow | undefined> {
  const sources = { mcp: target.file === undefined ? [] : [target.file], run: [] };
  // What is wrong with other rows is no concern of this command.
  const found = await run.findServers(sources, { withoutRequired: true, report: () => {} });
  const memory = await run.serverMemory();
  const servers = found?.servers.map(({ config }) => config) ?? [];
  const ref = findTool(shown, servers, memory);
  if (!ref) {
    const names = [
      ...knownToolNames(servers, memory),
      ...rowsOf(run, target).map(({ written }) => written.name),
    ];
    const hint = await suggestion(
      shown,
      names,
      "indus mcp tools lists the tools, indus mcp list the servers",
    );
    run.report(`there is no server and no tool named ${JSON.stringify(shown)}; ${hint}`);
    return undefined;
  }
  const row = await targetRow(run, ref.server, target);
  return row && { row, tool: ref.name };
}
