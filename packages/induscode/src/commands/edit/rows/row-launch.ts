import {
  approvalHash,
  approvalParts,
  type ConfigPlace,
  editServerRow,
  homeFolder,
  type LaunchAsWritten,
  launchHash,
  type ParseConfigOptions,
  parseServerConfig,
  readConfigText,
} from "indusagi/config";
import type { Run } from "../../../boot/internal.ts";

/** The launch of one row of a text, whatever variables are set. */
export type RowLaunch =
  | {
      readonly written: LaunchAsWritten;
      readonly launch: string;
      /** What an approval is bound to. */
      readonly approval: string;
    }
  | { readonly problem: string };

/** How the rows of a place are read, by which the file of variables that a row names is found: as a run reads them. */
export async function readingAt(
  run: Pick<Run, "cwd" | "env" | "keptInputs">,
  { file, scope }: ConfigPlace,
): Promise<ParseConfigOptions> {
  const { cwd, env } = run;
  const [userHome, inputs] = [homeFolder({ env }), await run.keptInputs()];
  return {
    ...{ file, scope, env, workspaceFolder: cwd, readText: readConfigText },
    ...(userHome !== undefined && { userHome }),
    ...(inputs && { inputs }),
  };
}

const NO_FILES: ParseConfigOptions = { env: {}, readText: () => ({ text: "" }) };

/** Reads the launch of a row as written. A problem is a clause about the row. By default no other file is read. */
export function rowLaunch(text: string, name: string, reading: ParseConfigOptions = NO_FILES): RowLaunch {
  // A row that is not started needs no variables, so that none is missing here.
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

/** Approves rows that the user put into the project's file. */
export async function approveRows(
  run: Run,
  text: string,
  { file, names }: { readonly file: string; readonly names: readonly string[] },
): Promise<void> {
  const store = await run.trustStore();
  const reading = await readingAt(run, { file, scope: "project" });
  for (const name of names) {
    const launch = rowLaunch(text, name, reading);
    if ("approval" in launch) store?.approve(name, launch.approval, approvalParts(launch.written));
  }
}
