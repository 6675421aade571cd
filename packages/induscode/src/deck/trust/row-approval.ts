import { type ConfigDiagnostic, type ConfigRow, launchHash } from "indusagi/config";
import { escapeForDisplay } from "indusagi/core";
import type { TrustStore } from "./trust-store.ts";

/** The decisions about the rows of one reading. */
export interface RowApproval {
  readonly isApproved: (row: ConfigRow) => boolean;
  /** Of a row that was asked about before. */
  readonly isRefused: (row: ConfigRow) => boolean;
  /** One for each decision that exists and cannot be used. */
  diagnostics(): readonly ConfigDiagnostic[];
}

/** Asks the store about each row once. Without a store no row is approved. */
export function rowApproval(trust?: Pick<TrustStore, "decision">): RowApproval {
  const problems: ConfigDiagnostic[] = [];
  const refused = new Set<string>();
  return {
    isApproved: (row) => {
      const reading = trust?.decision(row.config.id, launchHash(row.written));
      if (reading === undefined) return false;
      if ("problem" in reading) problems.push(unusable(row, reading.problem));
      else if (reading.verdict === "refused") refused.add(row.config.id);
      return "verdict" in reading && reading.verdict === "approved";
    },
    isRefused: ({ config, source }) => source.scope === "project" && refused.has(config.id),
    diagnostics: () => problems,
  };
}

function unusable({ config, source }: ConfigRow, problem: string): ConfigDiagnostic {
  const { scope: _, ...place } = source;
  return {
    ...place,
    severity: "warning",
    path: [],
    message: `the stored decision about server "${escapeForDisplay(config.id)}" ${problem}; decide again`,
  };
}
