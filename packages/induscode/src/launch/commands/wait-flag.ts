import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";

/** `--wait SECONDS`: what waits for servers differs from command to command. */
export function waitFlag(describe: string): Flag {
  return {
    name: "--wait",
    aliases: [],
    kind: "number",
    value: "SECONDS",
    describe,
    accepts: {
      describe: "a number of seconds from 0 to 600, for example 5",
      isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= 600,
    },
  };
}

/** Absent if the flag is not given. */
export function readWait(flags: ParsedFlags): { readonly waitMs?: number } {
  const seconds = flags.number("--wait");
  return seconds === undefined ? {} : { waitMs: Math.round(seconds * 1000) };
}
