import {
  approvalHash,
  approvalParts,
  type ConfigPlace,
  editServerRow,
  type LaunchAsWritten,
  launchHash,
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

/** Where a row is, to find the file of variables that it names. */
export interface RowPlace extends ConfigPlace {
  readonly run: Pick<Run, "cwd" | "env">;
}

/** Reads the launch of a row as written. A problem is a clause about the row. Without a place no file is read. */
export function rowLaunch(text: string, name: string, place?: RowPlace): RowLaunch {
  // A row that is not started needs no variables, so that none is missing here.
  const off = editServerRow(text, { name, change: { set: { enabled: false } } });
  const { servers, diagnostics } = parseServerConfig(
    off,
    place
      ? {
          file: place.file,
          scope: place.scope,
          env: place.run.env,
          workspaceFolder: place.run.cwd,
          readText: readConfigText,
        }
      : { env: {}, readText: () => ({ text: "" }) },
  );
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
  for (const name of names) {
    const launch = rowLaunch(text, name, { run, file, scope: "project" });
    if ("approval" in launch) store?.approve(name, launch.approval, approvalParts(launch.written));
  }
}
