import { editServerRow, type PlainRow } from "indusagi/config";
import type { Run } from "../../../boot/internal.ts";
import { rowLaunch } from "./row-launch.ts";
import { rowsOf } from "./target-row.ts";

/** The names and launches of all rows of ours, so that nothing is imported twice. */
export function ownServers(run: Run): { readonly name: string; readonly launch: string }[] {
  return rowsOf(run, {}).map(({ written: { name, row } }) => {
    const launch = rowLaunch(JSON.stringify({ servers: { [name]: row } }), name);
    return { name, launch: "launch" in launch ? launch.launch : "" };
  });
}

/** The text of a file with new rows. */
export function withRows(
  text: string | undefined,
  rows: readonly { readonly name: string; readonly row: PlainRow }[],
  file: string,
): string {
  const start = text === undefined || text.trim() === "" ? "{}\n" : text;
  return rows.reduce(
    (edited, { name, row }) => editServerRow(edited, { name, change: { add: row }, file }),
    start,
  );
}
