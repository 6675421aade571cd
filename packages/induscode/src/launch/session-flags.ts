import type { Flag } from "./flag-spec.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import { POLICY_FLAGS, type PolicyFlags, readPolicyFlags, readWait, waitFlag } from "./shared-flags.ts";

/** What a session takes besides the main table. */
export interface SessionFlags extends Omit<PolicyFlags, "mode"> {
  /** Absent: the mode of the continued session, else `default`. */
  readonly mode?: PolicyFlags["mode"] | undefined;
  /** Shorten the conversation only on request. */
  readonly noCompact: boolean;
  /** How long to wait for servers before the first turn. Absent: depends on the kind of session. */
  readonly waitMs?: number;
  /** Whether commands run in a sandbox: if there is one, always, or never. */
  readonly sandbox: (typeof SANDBOX)[number];
  /** The servers whose tools `saas-action` runs, besides those whose rows say so. */
  readonly connectors?: readonly string[];
}

const SANDBOX = ["auto", "on", "off"] as const;

/** The flags of the session that the sister editions do not have. */
export const SESSION_FLAGS: readonly Flag[] = [
  ...POLICY_FLAGS,
  {
    name: "--no-compact",
    aliases: [],
    kind: "boolean",
    describe: "Do not shorten the conversation when the model's context window fills.",
  },
  waitFlag("How long to wait for starting servers before the first turn."),
  {
    name: "--sandbox",
    aliases: [],
    kind: "string",
    value: "WHEN",
    choices: SANDBOX,
    describe:
      "Run commands in a sandbox without network access that can change only this folder, and then without approval: auto (if there is a sandbox), on (refuse commands without one), off.",
  },
  {
    name: "--connectors",
    aliases: [],
    kind: "list",
    value: "SERVER",
    describe:
      'Offer saas-action, which finds and runs the tools of this server. A row with "connectors": true does the same.',
    excludes: ["--no-tools"],
  },
];

export function readSessionFlags(flags: ParsedFlags): SessionFlags {
  const { mode, allow, deny } = readPolicyFlags(flags);
  // The parser has checked it against the table.
  const sandbox = (flags.value("--sandbox") ?? "auto") as SessionFlags["sandbox"];
  return {
    mode: flags.has("--mode") ? mode : undefined,
    allow,
    deny,
    noCompact: flags.has("--no-compact"),
    ...readWait(flags),
    sandbox,
    connectors: flags.list("--connectors"),
  };
}

/** The settings of `settings.json`, as `indus config` names them. */
export const SETTING_NAMES = ["model", "mode", "allow", "deny", "tools", "connectProfile", "share"] as const;
export type SettingName = (typeof SETTING_NAMES)[number];
