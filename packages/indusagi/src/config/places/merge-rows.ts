import { definedMembers } from "../../core/internal.ts";
import type { ConfigDiagnostic, ConfigPlace, ConfigRow, ParsedConfig } from "../contract.ts";
import { quoted } from "../report.ts";

/** A row of all files together. */
export interface LoadedRow extends ConfigRow {
  /** A row of a project that is not approved: it must not be started. Its `config` has the same mark. */
  readonly pending: boolean;
}

/** One parsed file and its place. */
export interface PlacedConfig {
  readonly place: ConfigPlace;
  readonly parsed: ParsedConfig;
}

export interface MergeOptions {
  /** Called for each row of a project file. Default: none is approved. */
  readonly isApproved?: (row: ConfigRow) => boolean;
  /** Let pending rows override others, for a list that starts nothing. Default false. */
  readonly pendingFirst?: boolean;
}

export interface MergedRows {
  readonly servers: readonly LoadedRow[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly missing: readonly string[];
}

/**
 * Merges the rows of several files, given in order of precedence. The first file that names an id wins, even with a row
 * that was dropped; later rows are reported. Pending rows override nothing, so a cloned project cannot disable one of
 * the user's servers. With `pendingFirst` they do, unless they are disabled: a list of enabled servers would show neither row.
 */
export function mergeRows(
  files: readonly PlacedConfig[],
  { isApproved = () => false, pendingFirst = false }: MergeOptions = {},
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
          warning(row, `is also in ${quoted(winner.file)}, which has precedence; this row is not used`),
        );
        continue;
      }
      const pending = row.source.scope === "project" && !isApproved(row);
      const loaded = pending ? { ...row, config: { ...row.config, pending }, pending } : { ...row, pending };
      servers.push(loaded);
      const overridden = waiting.get(id);
      if (overridden)
        diagnostics.push(
          warning(overridden, `waits for approval; until then the row in ${quoted(place.file)} is used`),
        );
      waiting.delete(id);
      const isOverriding = !pending || (pendingFirst && row.config.enabled !== false);
      if (!isOverriding) waiting.set(id, loaded);
      else named.push(id);
    }
    // A dropped row of a project cannot be approved, so it overrides nothing.
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
  return definedMembers({
    severity: "warning" as const,
    file,
    line,
    column,
    path: [],
    message: `server ${quoted(config.id)} ${message}`,
  });
}
