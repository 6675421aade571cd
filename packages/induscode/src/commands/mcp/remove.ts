import { editServerRow } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, orOfCluster } from "../../launch/internal.ts";
import { openEdits } from "../../servers/internal.ts";
import { DRY_RUN, type NameRequest, readName, TARGET_FLAGS, targetRow, withPart } from "./edit-target.ts";
import { printEdit, reportConnectedClients, showPreview } from "./report-edit.ts";

interface RemoveRequest extends NameRequest {
  readonly dryRun?: boolean | undefined;
}

export const MCP_REMOVE: CommandSpec<RemoveRequest> = {
  name: "mcp remove",
  aliases: ["mcp rm", "mcp delete"],
  group: "everyday",
  operands: "SERVER",
  summary: "Remove a server from the file that has it. Also: mcp rm, mcp delete.",
  onClusterState: true,
  flags: orOfCluster([DRY_RUN, ...TARGET_FLAGS]),
  examples: ["indus mcp remove files"],
  read: (flags) =>
    withPart(readName(flags, "mcp remove"), (named) => ({ ...named, dryRun: flags.has("--dry-run") })),
};

/** `indus mcp remove`: removes one row; for a project row also the decisions about it. */
export async function removeServer(run: Run, request: RemoveRequest): Promise<number> {
  const { name, target, dryRun = false } = request;
  const row = await targetRow(run, name, target);
  if (!row) return 1;
  const { file, scope } = row;
  try {
    const edits = await openEdits(run);
    const removed = (text = "{}"): string => editServerRow(text, { name, change: { remove: true }, file });
    const edit = await edits.editFile(file, removed, { write: !dryRun });
    if (dryRun) return await showPreview(run, edit, [row.written.row]);
    if (scope === "project") (await run.state.trustOf(run.cwd))?.forget(name);
    printEdit(run, `removed server ${JSON.stringify(name)} from`, edit);
    await reportConnectedClients(run, edits);
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
