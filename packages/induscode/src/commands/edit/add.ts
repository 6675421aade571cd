import { type ConfigPlace, parseServerConfig } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { AddRequest } from "../../launch/internal.ts";
import { withRows } from "./rows/own-rows.ts";
import { approveRows, readingAt, rowLaunch } from "./rows/row-launch.ts";
import { targetFile } from "./rows/target-row.ts";
import { tellClients } from "./tell-clients.ts";
import { tellEdit } from "./tell-edit.ts";

/** `indus mcp add` and `mcp add-json`: writes one new row. A user who adds a row to a project approves it by that. */
export async function addServer(run: Run, { name, row, target }: AddRequest): Promise<number> {
  const place = targetFile(run, target);
  if (!place) return 1;
  const launch = checkedLaunch(name, row);
  if ("problem" in launch) {
    run.report(`server ${JSON.stringify(name)}: ${launch.problem}`);
    return 2;
  }
  try {
    const edits = await run.edits();
    const edit = await edits.editFile(place.file, (text) => withRows(text, [{ name, row }], place.file));
    if (place.scope === "project") await approveRows(run, edit.after, { file: place.file, names: [name] });
    tellEdit(run, `added server ${JSON.stringify(name)} to`, edit);
    await reportUnset(run, edit.after, { name, place });
    await tellClients(run, edits);
    return 0;
  } catch (thrown) {
    const message = describeError(thrown);
    const hint = message.includes("already has") ? `; remove it first with: indus mcp remove ${name}` : "";
    run.report(`${message}${hint}`);
    return 1;
  }
}

/** Reads the row as the file will have it, before the file is touched. */
function checkedLaunch(name: string, row: object): ReturnType<typeof rowLaunch> {
  if (name.trim() === "" || /\p{Cc}/u.test(name)) return { problem: "this is not a usable name" };
  return rowLaunch(JSON.stringify({ servers: { [name]: row } }), name);
}

/** A variable that is not set now keeps the server from starting later. */
async function reportUnset(
  run: Run,
  text: string,
  { name, place }: { readonly name: string; readonly place: ConfigPlace },
): Promise<void> {
  const { diagnostics } = parseServerConfig(text, await readingAt(run, place));
  const mark = `server "${name}": `;
  for (const { message } of diagnostics.filter((each) => each.message.startsWith(mark))) run.report(message);
}
