import type { Flag } from "./flag-spec.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import type { UsageProblem } from "./usage-problem.ts";

/** One subcommand: what the help says about it, what may follow its name, and how that becomes its request. */
export interface CommandSpec<Request> {
  readonly summary: string;
  /** What follows the name and is not a flag, as the help shows it. Absent: nothing may follow. */
  readonly operands?: string;
  /** The only words that may follow the name, for completion. Absent: any. */
  readonly choices?: readonly string[];
  /** Everything it takes, except for the flags that every command takes. */
  readonly flags: readonly Flag[];
  /** At least one of these flags must be given. */
  readonly needsOneOf?: readonly Flag[];
  /** Complete command lines for its help. Words are separated by single spaces, without quotes. */
  readonly examples: readonly string[];
  read(given: ParsedFlags): Request | UsageProblem;
}

/** A family of subcommands. `Requests` has the request of each by its name, e.g. `mcp list`. */
export type CommandTable<Requests> = { readonly [Name in keyof Requests]: CommandSpec<Requests[Name]> };
