import {
  approvalHash,
  approvalParts,
  type ConfigDiagnostic,
  type ConfigRow,
  launchHash,
} from "indusagi/config";
import { type Environment, escapeForDisplay, shellWord, shortenText, showName } from "indusagi/core";
import { isLaunchHash } from "./open-trust-store.ts";
import type { TrustDecision, TrustStore } from "./trust-store.ts";

/** The part of a store that decides. `decisions` shows what has changed since an approval. */
export type TrustReader = Pick<TrustStore, "decision"> & Partial<Pick<TrustStore, "decisions">>;

/** The decisions about the rows of one load. */
export interface RowApproval {
  readonly isApproved: (row: ConfigRow) => boolean;
  /** Only for rows that `isApproved` was asked about. */
  readonly isRefused: (row: ConfigRow) => boolean;
  /** The parts of a row that have changed since it was last approved. Empty if it never was, or if they are unknown. */
  readonly changed: (row: ConfigRow) => readonly string[];
  /** One for each stored decision that cannot be used, and for each row that was approved in another form. */
  diagnostics(): readonly ConfigDiagnostic[];
}

/**
 * Asks the store about each row once, then the environment variable with approved launches: a refusal in the store wins.
 * Without either no row is approved.
 */
export function rowApproval(trust?: TrustReader, env?: Environment): RowApproval {
  const { hashes, diagnostics } = approvedLaunches(env);
  const problems: ConfigDiagnostic[] = [...diagnostics];
  const refused = new Set<string>();
  const changes = new Map<string, readonly string[]>();
  // Read once: there may be many rows, and a file for each decision.
  let all: readonly TrustDecision[] | undefined;
  return {
    isApproved: (row) => {
      const { id } = row.config;
      const [hash, launch] = [approvalHash(row.written), launchHash(row.written)];
      const reading = trust?.decision(id, hash);
      if (reading && "verdict" in reading) {
        if (reading.verdict === "refused") refused.add(id);
        return reading.verdict === "approved";
      }
      if (reading)
        problems.push(
          diagnostic(row, `the stored decision about server ${named(row)} ${reading.problem}; decide again`),
        );
      // A refused launch stays refused, whatever else its row says.
      const older = hash === launch ? undefined : trust?.decision(id, launch);
      if (older && "verdict" in older && older.verdict === "refused") {
        refused.add(id);
        return false;
      }
      if (hashes.has(hash)) return true;
      all ??= trust?.decisions?.() ?? [];
      const changed = changedParts(row, all);
      changes.set(id, changed);
      if (changed.length > 0) problems.push(diagnostic(row, changedMessage(row, changed)));
      return false;
    },
    isRefused: ({ config, source }) => source.scope === "project" && refused.has(config.id),
    changed: ({ config, source }) => (source.scope === "project" && changes.get(config.id)) || [],
    diagnostics: () => problems,
  };
}

/** Compares a row with its last approved form. */
function changedParts(
  { config, written }: ConfigRow,
  decisions: readonly TrustDecision[],
): readonly string[] {
  const approved = decisions.filter(({ server, verdict }) => server === config.id && verdict === "approved");
  const last = approved.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
  if (!last) return [];
  const now = approvalParts(written);
  // Older approvals were bound to the launch alone.
  const { envFileNames: _names, members: _members, ...launch } = written;
  const before = last.parts ?? (last.launch === launchHash(written) ? approvalParts(launch) : undefined);
  if (!before) return [];
  const parts = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...parts].filter((part) => before[part] !== now[part]);
}

/** A row may have any number of members. `indus mcp trust` names them all. */
const MAX_PARTS = 8;

function changedMessage(row: ConfigRow, changed: readonly string[]): string {
  const more = changed.length > MAX_PARTS ? ` and ${changed.length - MAX_PARTS} more` : "";
  const what = `${changed.slice(0, MAX_PARTS).map(showName).join(", ")}${more}`;
  const verb = changed.length === 1 ? "has" : "have";
  const look = `indus mcp trust ${escapeForDisplay(shellWord(row.config.id))} shows it`;
  return `server ${named(row)} waits for approval again: ${what} ${verb} changed since it was approved; ${look}`;
}

function named({ config }: ConfigRow): string {
  return `"${escapeForDisplay(config.id)}"`;
}

function diagnostic({ source }: ConfigRow, message: string): ConfigDiagnostic {
  const { scope: _, ...place } = source;
  return { ...place, severity: "warning", path: [], message };
}

/** How a machine without a user, such as a CI runner, gets its approvals. */
const APPROVED_LAUNCHES = "INDUS_APPROVED_LAUNCHES";

interface ApprovedLaunches {
  readonly hashes: ReadonlySet<string>;
  /** One for each word that is not a launch hash. */
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/** Reads the launch hashes in the variable, separated by commas or white space. */
function approvedLaunches(env: Environment = process.env): ApprovedLaunches {
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
