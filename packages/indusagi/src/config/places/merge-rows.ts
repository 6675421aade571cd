import type { ConfigDiagnostic, ConfigPlace, ConfigRow, ParsedConfig } from "../contract.ts";
import { quoted } from "../report.ts";

/** A row among those of all files. */
export interface LoadedRow extends ConfigRow {
  /** A project's row nobody has approved yet: it must not be started, and it takes no other row's place. */
  readonly pending: boolean;
}

/** One parsed file and where it was. */
export interface PlacedConfig {
  readonly place: ConfigPlace;
  readonly parsed: ParsedConfig;
}

export interface MergedRows {
  readonly servers: readonly LoadedRow[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly missing: readonly string[];
}

/**
 * Puts the rows of several files together, the files in order of precedence: the first that names an id wins, also
 * with a row that had to be dropped, and later ones are reported. Rows that are pending shadow nothing, so a cloned
 * project cannot switch off a server of the user's own.
 */
export function mergeRows(
  files: readonly PlacedConfig[],
  isApproved: (row: ConfigRow) => boolean = () => false,
): MergedRows {
  const servers: LoadedRow[] = [];
  const diagnostics: ConfigDiagnostic[] = [];
  const missing: string[] = [];
  const winners = new Map<string, ConfigPlace>();
  const waiting = new Map<string, LoadedRow>();

  for (const { place, parsed } of files) {
    const named: string[] = [];
    for (const row of parsed.servers) {
      const { id } = row.config;
      const winner = winners.get(id);
      if (winner) {
        diagnostics.push(
          warning(row, `is named in ${quoted(winner.file)}, which goes first; this one is not used`),
        );
        continue;
      }
      const pending = row.source.scope === "project" && !isApproved(row);
      const loaded = { ...row, pending };
      servers.push(loaded);
      const waits = waiting.get(id);
      if (waits)
        diagnostics.push(
          warning(waits, `waits for approval; until then the one in ${quoted(place.file)} is used`),
        );
      waiting.delete(id);
      if (pending) waiting.set(id, loaded);
      else named.push(id);
    }
    // A project's dropped row could not be approved by anyone.
    if (place.scope !== "project") {
      named.push(...parsed.dropped);
      missing.push(...parsed.missing.filter((id) => !winners.has(id)));
    }
    for (const id of named) if (!winners.has(id)) winners.set(id, place);
  }
  return { servers, diagnostics, missing };
}

function warning({ config, source }: ConfigRow, message: string): ConfigDiagnostic {
  const { file, line, column } = source;
  return {
    severity: "warning",
    ...(file !== undefined && { file }),
    line,
    column,
    path: [],
    message: `server ${quoted(config.id)} ${message}`,
  };
}
