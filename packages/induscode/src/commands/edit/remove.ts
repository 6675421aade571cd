import { editServerRow } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { NameRequest } from "../../launch/internal.ts";
import { targetRow } from "./rows/target-row.ts";
import { tellClients } from "./tell-clients.ts";
import { tellEdit } from "./tell-edit.ts";

/** `indus mcp remove`: removes one row, and the decisions about a row of the project. */
export async function removeServer(run: Run, { name, target }: NameRequest): Promise<number> {
  const row = await targetRow(run, name, target);
  if (!row) return 1;
  const { file, scope } = row;
  try {
    const edits = await run.edits();
    const edit = await edits.editFile(file, (text = "{}") =>
      editServerRow(text, { name, change: { remove: true }, file }),
    );
    if (scope === "project") (await run.trustStore())?.forget(name);
    tellEdit(run, `removed server ${JSON.stringify(name)} from`, edit);
    await tellClients(run, edits);
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
