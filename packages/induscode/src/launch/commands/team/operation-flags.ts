import type { Flag } from "../../flag-spec.ts";
import type { ParsedFlags } from "../../parse-flags.ts";

/** How a gateway is watched and ended. */
export interface Operations {
  /** Absent: text on standard error. */
  readonly log?: { readonly format: "text" | "json"; readonly file?: string };
}

const LOG_FORMATS = ["text", "json"] as const;

const MAX_DRAIN_S = 600;

/** For `serve`. */
export const OPERATION_FLAGS: readonly Flag[] = [
  {
    name: "--log-format",
    aliases: [],
    kind: "string",
    value: "FORMAT",
    choices: LOG_FORMATS,
    describe:
      "The log on standard error: text (the default), or json: one object per line, with each call and the shape of its arguments.",
  },
  {
    name: "--log-file",
    aliases: [],
    kind: "string",
    value: "FILE",
    describe: "Append the log to this file instead of standard error.",
  },
  {
    name: "--drain",
    aliases: [],
    kind: "number",
    value: "SECONDS",
    describe: "How long running requests may go on after the signal that ends it. Default: 0.5.",
    accepts: {
      describe: `a number of seconds from 0 to ${MAX_DRAIN_S}, for example 10`,
      isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= MAX_DRAIN_S,
    },
  },
];

export function readOperations(flags: ParsedFlags): Operations {
  const [format, file] = [flags.value("--log-format"), flags.value("--log-file")];
  if (format === undefined && file === undefined) return {};
  const log = { format: format === "json" ? ("json" as const) : ("text" as const) };
  return { log: { ...log, ...(file === undefined ? {} : { file }) } };
}

/** Absent: the usual time. */
export function readDrain(flags: ParsedFlags): { readonly drainMs?: number } {
  const seconds = flags.number("--drain");
  return seconds === undefined ? {} : { drainMs: Math.round(seconds * 1_000) };
}
