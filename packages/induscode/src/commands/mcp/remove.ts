import { editServerRow } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { CommandSpec } from "../../launch/internal.ts";
import { openEdits } from "../../servers/internal.ts";
import { type NameRequest, readName, TARGET_FLAGS, targetRow } from "./edit-target.ts";
import { printEdit, reportConnectedClients } from "./report-edit.ts";

export const MCP_REMOVE: CommandSpec<NameRequest> = {
  name: "mcp remove",
  aliases: ["mcp rm", "mcp delete"],
  group: "everyday",
  operands: "SERVER",
  summary: "Remove a server from the file that has it. Also: mcp rm, mcp delete.",
  flags: TARGET_FLAGS,
  examples: ["indus mcp remove files"],
  read: (flags) => readName(flags, "mcp remove"),
};

/** `indus mcp remove`: removes one row; for a project row also the decisions about it. */
export async function removeServer(run: Run, { name, target }: NameRequest): Promise<number> {
  const row = await targetRow(run, name, target);
  if (!row) return 1;
  const { file, scope } = row;
  try {
    const edits = await openEdits(run);
    const edit = await edits.editFile(file, (text = "{}") =>
      editServerRow(text, { name, change: { remove: true }, file }),
    );
    if (scope === "project") (await run.state.trustOf(run.cwd))?.forget(name);
    printEdit(run, `removed server ${JSON.stringify(name)} from`, edit);
    await reportConnectedClients(run, edits);
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
