import type { ConfigDiagnostic } from "indusagi/config";
import { type Environment, escapeForDisplay, shortenText } from "indusagi/core";
import { isLaunchHash } from "./decision-file.ts";

/** The variable in which a machine without a user, such as a CI runner, gets its approvals. */
const APPROVED_LAUNCHES = "INDUS_APPROVED_LAUNCHES";

export interface ApprovedLaunches {
  readonly hashes: ReadonlySet<string>;
  /** One for each word that is not a launch hash. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** Reads the launch hashes in the variable, separated by commas or white space. */
export function approvedLaunches(env: Environment = process.env): ApprovedLaunches {
  const words = (env[APPROVED_LAUNCHES] ?? "").split(/[\s,]+/).filter((word) => word !== "");
  return {
    hashes: new Set(words.filter(isLaunchHash)),
    diagnostics: words.filter((word) => !isLaunchHash(word)).map(unusable),
  };
}

function unusable(word: string): ConfigDiagnostic {
  const shown = escapeForDisplay(shortenText(word, 40));
  const message = `${APPROVED_LAUNCHES}: "${shown}" is not a launch hash and approves nothing; indus mcp trust shows the hash of each server`;
  return { severity: "warning", line: 1, column: 1, path: [], message };
}
