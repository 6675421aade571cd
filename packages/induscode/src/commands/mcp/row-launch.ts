import {
  approvalHash,
  approvalParts,
  type ConfigPlace,
  editServerRow,
  homeFolder,
  type LaunchAsWritten,
  launchHash,
  type ParseConfigOptions,
  type PlainRow,
  parseServerConfig,
  readConfigText,
} from "indusagi/config";
import type { Run } from "../../boot/internal.ts";
import { keptInputs } from "../../servers/internal.ts";
import { type EditTarget, editableRows } from "./edit-target.ts";

/** The launch of one row as written, before variables are expanded. */
export type LaunchReading =
  | {
      readonly written: LaunchAsWritten;
      readonly launch: string;
      /** What an approval is bound to. */
      readonly approval: string;
    }
  | { readonly problem: string };

/** The options for parsing a file exactly as a run does, including a row's `envFile`. */
export async function readingAt(
  run: Pick<Run, "cwd" | "env" | "report">,
  { file, scope }: ConfigPlace,
): Promise<ParseConfigOptions> {
  const { cwd, env } = run;
  const [userHome, inputs] = [homeFolder({ env }), keptInputs(run)];
  return {
    ...{ file, scope, env, workspaceFolder: cwd, readText: readConfigText },
    ...(userHome !== undefined && { userHome }),
    ...(inputs && { inputs }),
  };
}

const NO_FILES: ParseConfigOptions = { env: {}, readText: () => ({ text: "" }) };

/** Reads the launch of a row as written. A problem is a clause about the row. By default reads no other file. */
export function rowLaunch(text: string, name: string, reading: ParseConfigOptions = NO_FILES): LaunchReading {
  // A disabled row needs no variables, so none can be missing.
  const off = editServerRow(text, { name, change: { set: { enabled: false } } });
  const { servers, diagnostics } = parseServerConfig(off, reading);
  const row = servers.find(({ config }) => config.id === name);
  if (row)
    return { written: row.written, launch: launchHash(row.written), approval: approvalHash(row.written) };
  const mark = `server "${name}": `;
  const about = diagnostics.find(({ severity, message }) => severity === "error" && message.startsWith(mark));
  return {
    problem: about?.message.slice(mark.length).replace(". The row is dropped", "") ?? "it cannot be used",
  };
}

/** Approves rows that the user added to the project's file. */
export async function approveRows(
  run: Run,
  text: string,
  { file, names }: { readonly file: string; readonly names: readonly string[] },
): Promise<void> {
  const store = await run.state.trustOf(run.cwd);
  const reading = await readingAt(run, { file, scope: "project" });
  for (const name of names) {
    const launch = rowLaunch(text, name, reading);
    if ("approval" in launch) store?.approve(name, launch.approval, approvalParts(launch.written));
  }
}

/** The names and launches of our rows, by default of all files, to import nothing twice. */
export function ownServers(
  run: Run,
  target: EditTarget = {},
): { readonly name: string; readonly launch: string }[] {
  return editableRows(run, target).map(({ written: { name, row } }) => {
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
