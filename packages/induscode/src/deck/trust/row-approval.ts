import { type ConfigDiagnostic, type ConfigRow, launchHash } from "indusagi/config";
import { escapeForDisplay } from "indusagi/core";
import type { TrustReading, TrustStore } from "./trust-store.ts";

/** The decisions about the rows of one reading. */
export interface RowApproval {
  readonly isApproved: (row: ConfigRow) => boolean;
  readonly isRefused: (row: ConfigRow) => boolean;
  /** One for each decision that exists and cannot be used. */
  diagnostics(): readonly ConfigDiagnostic[];
}

/** Asks the store about rows. Without a store no row is approved. */
export function rowApproval(trust?: Pick<TrustStore, "decision">): RowApproval {
  const problems: ConfigDiagnostic[] = [];
  const verdictOf = (row: ConfigRow) => {
    const reading = decisionOn(row, trust);
    return reading && "verdict" in reading ? reading.verdict : undefined;
  };
  return {
    isApproved: (row) => {
      const reading = decisionOn(row, trust);
      if (reading && "problem" in reading) problems.push(unusable(row, reading.problem));
      return reading !== undefined && "verdict" in reading && reading.verdict === "approved";
    },
    isRefused: (row) => row.source.scope === "project" && verdictOf(row) === "refused",
    diagnostics: () => problems,
  };
}

function decisionOn(
  { config, written }: ConfigRow,
  trust: Pick<TrustStore, "decision"> | undefined,
): TrustReading | undefined {
  return trust?.decision(config.id, launchHash(written));
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
