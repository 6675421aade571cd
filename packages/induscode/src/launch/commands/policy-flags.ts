import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";

/** How calls are answered that no rule names. */
const MODES = ["default", "acceptEdits", "plan", "bypass"] as const;

/** What a policy is made of. The rules are parsed where it is made. */
export interface PolicyFlags {
  readonly mode: (typeof MODES)[number];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The flags of every command that runs calls of others. */
export const POLICY_FLAGS: readonly Flag[] = [
  {
    name: "--mode",
    aliases: [],
    kind: "string",
    value: "MODE",
    choices: MODES,
    describe:
      "What happens to calls that no rule names: default (calls that may change something need an approval), acceptEdits (changes of files run), plan (only reading runs), bypass (everything runs).",
  },
  {
    name: "--allow",
    aliases: [],
    kind: "string",
    value: "RULE",
    repeats: true,
    describe: "Run these calls without an approval, such as write or bash(git status *).",
  },
  {
    name: "--deny",
    aliases: [],
    kind: "string",
    value: "RULE",
    repeats: true,
    describe:
      "Refuse these calls, such as webfetch or notes__*. A tool that is refused completely is not listed.",
  },
];

export function readPolicyFlags(flags: ParsedFlags): PolicyFlags {
  return {
    // The parser has compared it with the table.
    mode: (flags.value("--mode") ?? "default") as PolicyFlags["mode"],
    allow: flags.list("--allow"),
    deny: flags.list("--deny"),
  };
}
