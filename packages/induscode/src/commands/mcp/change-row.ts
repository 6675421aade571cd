import { type ConfigEdit, editServerRow } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { suggestion } from "../../screen/index.ts";
import { findServers, findShownTool, knownToolNames, openEdits } from "../../servers/internal.ts";
import { type EditTarget, editableRows, type PlacedRow, targetRow } from "./edit-target.ts";
import { printEdit, reportConnectedClients } from "./report-edit.ts";
import { approveRows, readingAt, rowLaunch } from "./row-launch.ts";

/**
 * Edits values of one row, by paths relative to the row, and reports what was done. If a project row was approved before the edit,
 * it is approved after it. Returns the exit code.
 */
export async function changeRow(
  run: Run,
  { file, scope, written }: PlacedRow,
  { edits: changes, done }: { readonly edits: readonly ConfigEdit[]; readonly done: string },
): Promise<number> {
  const { name } = written;
  try {
    const edits = await openEdits(run);
    let before = "{}";
    const edit = await edits.editFile(file, (text = "{}") => {
      before = text;
      return editServerRow(text, { name, change: { edit: changes }, file });
    });
    if (!edit.isChanged) {
      run.report(`nothing to change: ${done} already, in ${file}`);
      return 0;
    }
    if (scope === "project" && (await isApproved(run, before, { name, file })))
      await approveRows(run, edit.after, { file, names: [name] });
    printEdit(run, `${done}, in`, edit);
    await reportConnectedClients(run, edits);
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

async function isApproved(
  run: Run,
  text: string,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<boolean> {
  const launch = rowLaunch(text, name, await readingAt(run, { file, scope: "project" }));
  if ("problem" in launch) return false;
  const decision = (await run.state.trustOf(run.cwd))?.decision(name, launch.approval);
  return decision !== undefined && "verdict" in decision && decision.verdict === "approved";
}

/** A tool, and the row of its server. */
export interface ToolRow {
  readonly row: PlacedRow;
  /** The name on the server. */
  readonly tool: string;
}

/**
 * Finds a tool by its shown name, in the rows and in what the servers listed last. Starts nothing. If no server can have such a
 * tool, reports that and returns undefined.
 */
export async function toolRow(run: Run, shown: string, target: EditTarget): Promise<ToolRow | undefined> {
  const sources = { mcp: target.file === undefined ? [] : [target.file], run: [] };
  // Problems of other rows do not matter here.
  const found = await findServers(run, sources, { withoutRequired: true, report: () => {} });
  const memory = await run.state.memory();
  const servers = found?.servers.map(({ config }) => config) ?? [];
  const ref = findShownTool(shown, servers, memory);
  if (!ref) {
    const names = [
      ...knownToolNames(servers, memory),
      ...editableRows(run, target).map(({ written }) => written.name),
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
