import type { Flag } from "../../flag-spec.ts";
import type { ParsedFlags } from "../../parse-flags.ts";

/** How a gateway is watched and ended. */
export interface Operations {
  /** Absent: text on standard error. */
  readonly log?: { readonly format: "text" | "json"; readonly file?: string };
  /** Results of more bytes are shown as a preview. Absent: never. */
  readonly previewOver?: number;
}

const LOG_FORMATS = ["text", "json"] as const;

const MAX_DRAIN_S = 600;

const UNITS: { readonly [unit: string]: number } = { "": 1, k: 1_000, m: 1_000_000 };
const SIZE = /^(\d{1,9})([km]?)b?$/i;
const [MIN_SIZE, MAX_SIZE] = [1_000, 100_000_000];

function readSize(text: string): number | undefined {
  const [, count, unit = ""] = SIZE.exec(text) ?? [];
  if (count === undefined) return undefined;
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  return bytes >= MIN_SIZE && bytes <= MAX_SIZE ? bytes : undefined;
}

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
    name: "--preview-over",
    aliases: [],
    kind: "string",
    value: "SIZE",
    describe:
      "Send a preview in the place of a larger result, with a link to the whole, which the tool read_result reads in parts and searches. Not for tools that promise a form of their result. Default: never.",
    accepts: {
      describe: "a size from 1k to 100M, for example 50k",
      isValid: (text) => readSize(text) !== undefined,
    },
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
  const log = readLog(flags);
  const previewOver = readSize(flags.value("--preview-over") ?? "");
  return { ...(log ? { log } : {}), ...(previewOver === undefined ? {} : { previewOver }) };
}

function readLog(flags: ParsedFlags): Operations["log"] {
  const [format, file] = [flags.value("--log-format"), flags.value("--log-file")];
  if (format === undefined && file === undefined) return undefined;
  return { format: format === "json" ? "json" : "text", ...(file === undefined ? {} : { file }) };
}

/** Absent: the usual time. */
export function readDrain(flags: ParsedFlags): { readonly drainMs?: number } {
  const seconds = flags.number("--drain");
  return seconds === undefined ? {} : { drainMs: Math.round(seconds * 1_000) };
}
