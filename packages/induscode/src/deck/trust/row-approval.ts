import { type ConfigDiagnostic, type ConfigRow, launchHash } from "indusagi/config";
import { type Environment, escapeForDisplay } from "indusagi/core";
import { approvedLaunches } from "./approved-launches.ts";
import type { TrustStore } from "./trust-store.ts";

/** The decisions about the rows of one reading. */
export interface RowApproval {
  readonly isApproved: (row: ConfigRow) => boolean;
  /** Of a row that was asked about before. */
  readonly isRefused: (row: ConfigRow) => boolean;
  /** One for each decision that exists and cannot be used. */
  diagnostics(): readonly ConfigDiagnostic[];
}

/**
 * Asks the store about each row once, and then the variable with approved launches: a refusal of the user counts more. Without
 * either no row is approved.
 */
export function rowApproval(trust?: Pick<TrustStore, "decision">, env?: Environment): RowApproval {
  const { hashes, diagnostics } = approvedLaunches(env);
  const problems: ConfigDiagnostic[] = [...diagnostics];
  const refused = new Set<string>();
  return {
    isApproved: (row) => {
      const launch = launchHash(row.written);
      const reading = trust?.decision(row.config.id, launch);
      if (reading && "verdict" in reading) {
        if (reading.verdict === "refused") refused.add(row.config.id);
        return reading.verdict === "approved";
      }
      if (reading) problems.push(unusable(row, reading.problem));
      return hashes.has(launch);
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
