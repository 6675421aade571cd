import {
  editServerRow,
  type LaunchAsWritten,
  launchHash,
  type ParsedConfig,
  parseServerConfig,
} from "indusagi/config";

/** The launch of one row of a text, whatever variables are set. */
export type RowLaunch =
  | { readonly written: LaunchAsWritten; readonly launch: string }
  | { readonly problem: string };

/** Reads the launch of a row as written. A problem is a clause about the row. */
export function rowLaunch(text: string, name: string): RowLaunch {
  // A row that is not started needs no variables, so that none is missing here.
  const off = editServerRow(text, { name, change: { set: { enabled: false } } });
  const { servers, diagnostics } = parsed(off);
  const row = servers.find(({ config }) => config.id === name);
  if (row) return { written: row.written, launch: launchHash(row.written) };
  const mark = `server "${name}": `;
  const about = diagnostics.find(({ severity, message }) => severity === "error" && message.startsWith(mark));
  return {
    problem: about?.message.slice(mark.length).replace(". The row is dropped", "") ?? "it cannot be used",
  };
}

function parsed(text: string): ParsedConfig {
  return parseServerConfig(text, { env: {}, readText: () => ({ text: "" }) });
}
