import { type ConfigEdit, editServerRow } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../../boot/internal.ts";
import { tellClients } from "../tell-clients.ts";
import { tellEdit } from "../tell-edit.ts";
import type { PlacedRow } from "./target-row.ts";

/** Edits values of one row, by paths that start at the row, and reports what was done. Returns the exit code. */
export async function changeRow(
  run: Run,
  { file, written }: PlacedRow,
  { edits: changes, done }: { readonly edits: readonly ConfigEdit[]; readonly done: string },
): Promise<number> {
  const { name } = written;
  try {
    const edits = await run.edits();
    const edit = await edits.editFile(file, (text = "{}") =>
      editServerRow(text, { name, change: { edit: changes }, file }),
    );
    if (!edit.isChanged) {
      run.report(`nothing to change: ${done} already, in ${file}`);
      return 0;
    }
    tellEdit(run, `${done}, in`, edit);
    await tellClients(run, edits);
    return 0;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
