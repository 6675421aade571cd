import type { Flag } from "./flag-spec.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import { POLICY_FLAGS, type PolicyFlags, readPolicyFlags, readWait, waitFlag } from "./shared-flags.ts";

/** What a session takes beside the main table. */
export interface SessionFlags extends Omit<PolicyFlags, "mode"> {
  /** Absent: that of the session that is continued, else `default`. */
  readonly mode?: PolicyFlags["mode"];
  /** The conversation is shortened only on request. */
  readonly noCompact: boolean;
  /** How long to wait for servers before the first turn. Absent: by the kind of the session. */
  readonly waitMs?: number;
  /** Whether commands run in a sandbox: if there is one, always, never. */
  readonly sandbox: (typeof SANDBOX)[number];
}

const SANDBOX = ["auto", "on", "off"] as const;

/** The flags of the session that the sister editions do not have. */
export const SESSION_FLAGS: readonly Flag[] = [
  ...POLICY_FLAGS,
  {
    name: "--no-compact",
    aliases: [],
    kind: "boolean",
    describe: "Do not shorten the conversation by itself when the model's window fills.",
  },
  waitFlag("The longest wait for servers that start, before the first turn."),
  {
    name: "--sandbox",
    aliases: [],
    kind: "string",
    value: "WHEN",
    choices: SANDBOX,
    describe:
      "Run commands in a sandbox, without the network and with changes in this folder only, and then without an approval: auto (if there is a sandbox), on (refuse commands otherwise), off.",
  },
];

export function readSessionFlags(flags: ParsedFlags): SessionFlags {
  const { mode, allow, deny } = readPolicyFlags(flags);
  // The parser has compared it with the table.
  const sandbox = (flags.value("--sandbox") ?? "auto") as SessionFlags["sandbox"];
  return {
    ...(flags.has("--mode") ? { mode } : {}),
    allow,
    deny,
    noCompact: flags.has("--no-compact"),
    ...readWait(flags),
    sandbox,
  };
}
