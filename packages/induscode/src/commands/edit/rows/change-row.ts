import { type ConfigEdit, editServerRow } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../../boot/internal.ts";
import { tellClients } from "../tell-clients.ts";
import { tellEdit } from "../tell-edit.ts";
import { approveRows, readingAt, rowLaunch } from "./row-launch.ts";
import type { PlacedRow } from "./target-row.ts";

/**
 * Edits values of one row, by paths that start at the row, and reports what was done. A row of a project that was approved as it
 * was is approved as the user made it. Returns the exit code.
 */
export async function changeRow(
  run: Run,
  { file, scope, written }: PlacedRow,
  { edits: changes, done }: { readonly edits: readonly ConfigEdit[]; readonly done: string },
): Promise<number> {
  const { name } = written;
  try {
    const edits = await run.edits();
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
    tellEdit(run, `${done}, in`, edit);
    await tellClients(run, edits);
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
  const decision = (await run.trustStore())?.decision(name, launch.approval);
  return decision !== undefined && "verdict" in decision && decision.verdict === "approved";
}
