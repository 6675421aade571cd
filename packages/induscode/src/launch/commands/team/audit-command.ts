import { CALL_METHODS, CALL_OUTCOMES, type CallFilter } from "../../../audit/contract/index.ts";
import type { CommandTable } from "../../command-spec.ts";
import type { Flag } from "../../flag-spec.ts";
import { CWD, JSON_OUTPUT } from "../common-flags.ts";

/** A moment: that long ago, or a point in time. */
type Since = { readonly agoMs: number } | { readonly at: string };

export interface AuditRequest extends CallFilter {
  readonly since?: Since;
  /** How many of the last calls to show. */
  readonly lines: number;
  readonly follow: boolean;
  readonly json: boolean;
}

export interface AuditRequests {
  readonly audit: AuditRequest;
}

const UNITS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([smhd])$/;

function readSince(text: string): Since | undefined {
  const [, count, unit = ""] = AGO.exec(text) ?? [];
  if (count !== undefined) return { agoMs: Number(count) * (UNITS[unit] ?? 0) };
  // A bare number would be taken for a year or a month.
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)) ? { at: text } : undefined;
}

const DEFAULT_LINES = 200;

const text = (name: string, value: string, describe: string): Flag => ({
  name,
  aliases: [],
  kind: "string",
  value,
  describe,
});

/** Some words of a closed set. */
const words = (name: string, value: string, known: readonly string[], describe: string): Flag => ({
  name,
  aliases: [],
  kind: "list",
  value,
  describe: `${describe}: ${known.join(", ")}.`,
  accepts: { describe: known.join(", "), known, isValid: (word) => known.includes(word) },
});

const FLAGS: readonly Flag[] = [
  text("--server", "SERVER", "Show only calls of this server."),
  text("--tool", "TOOL", "Show only calls of this tool; notes__* means all that begin so."),
  text("--principal", "NAME", "Show only calls with the token of this name; - means calls without a token."),
  {
    ...text(
      "--since",
      "WHEN",
      "Show only calls since then: 90s, 30m, 2h, 7d, or a time such as 2026-11-16T09:30Z.",
    ),
    accepts: {
      describe: "a time ago such as 90s, 30m, 2h or 7d, or a time such as 2026-11-16T09:30Z",
      isValid: (given) => readSince(given) !== undefined,
    },
  },
  words("--method", "METHODS", CALL_METHODS, "Show only these requests"),
  words("--outcome", "OUTCOMES", CALL_OUTCOMES, "Show only calls that ended so"),
  {
    name: "--lines",
    aliases: [],
    kind: "number",
    value: "COUNT",
    describe: `Show this many of the last calls. Default: ${DEFAULT_LINES}.`,
    accepts: {
      describe: "a whole number from 1 on",
      isValid: (given) => /^[1-9]\d{0,8}$/.test(given),
    },
  },
  {
    name: "--follow",
    aliases: ["-f"],
    kind: "boolean",
    describe: "Go on, and show new calls, until Ctrl-C.",
  },
  { ...JSON_OUTPUT, describe: "Print one JSON object per line." },
  CWD,
];

/** `indus audit`. */
export const AUDIT_COMMAND: CommandTable<AuditRequests> = {
  audit: {
    summary:
      "Show the calls that gateways of this folder served, of tools, resources, prompts and completion: who, what, when, how long, how it ended, and sizes. Arguments and results are not kept.",
    flags: FLAGS,
    examples: ["indus audit --since 1h --outcome failed,timeout", "indus audit --principal alice --follow"],
    read: (flags) => {
      const [server, tool, principal] = ["--server", "--tool", "--principal"].map((name) =>
        flags.value(name),
      );
      const [methods, outcomes] = [flags.list("--method"), flags.list("--outcome")];
      const since = readSince(flags.value("--since") ?? "");
      return {
        ...(server === undefined ? {} : { server }),
        ...(tool === undefined ? {} : { tool }),
        ...(principal === undefined ? {} : { principal }),
        ...(since === undefined ? {} : { since }),
        ...(methods.length > 0 ? { methods } : {}),
        ...(outcomes.length > 0 ? { outcomes } : {}),
        lines: flags.number("--lines") ?? DEFAULT_LINES,
        follow: flags.has("--follow"),
        json: flags.has("--json"),
      };
    },
  },
};
