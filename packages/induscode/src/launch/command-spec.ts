import type { Flag } from "./flag-spec.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import type { UsageProblem } from "./usage-problem.ts";

/** The words of one subcommand: its name, what the help says, what may follow, and how that becomes its request. */
export interface CommandSpec<Request extends object = object> {
  /** One word, or two: those of a family such as `mcp`. */
  readonly name: string;
  /** Other names, with which people know it from other programs. */
  readonly aliases?: readonly string[];
  /** Where the help lists it. */
  readonly group: CommandGroup;
  readonly summary: string;
  /** What follows the name and is not a flag, as the help shows it. Shells complete `SERVER` and `TOOL`. Absent: nothing may follow. */
  readonly operands?: string;
  /** The words that may follow the name, for completion, besides the names of servers and tools. Absent: any. */
  readonly choices?: readonly string[];
  /** Everything it takes, except for the flags that every command takes. */
  readonly flags: readonly Flag[];
  /** Long flags that it does not know are arguments of a tool: `--a 2` means `a=2`. */
  readonly takesToolFlags?: boolean;
  /** At least one of these flags must be given. */
  readonly needsOneOf?: readonly Flag[];
  /** It can work on the state of a cluster: it reads and writes only the files of servers, tokens and pins, and reads the ledger. */
  readonly onClusterState?: boolean;
  /** Complete command lines for its help. Words are separated by single spaces, without quotes. */
  readonly examples: readonly string[];
  /** Looks at the words after the name before flags are parsed, for mistakes that a wrong flag would hide. */
  refuse?(words: readonly string[]): UsageProblem | undefined;
  read(given: ParsedFlags): Request | UsageProblem;
}

/** The groups of the help, in this order. */
export const COMMAND_GROUPS = ["everyday", "repair", "team"] as const;

type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** All subcommands. Within its group, the help shows them in this order. */
export type CommandSpecs = readonly CommandSpec[];

/** The commands of a topic: one command, or all of a family such as `mcp`. Empty if there is none. */
export function commandsIn(commands: CommandSpecs, topic: string): CommandSpecs {
  return commands.filter(({ name }) => name === topic || (topic !== "" && name.startsWith(`${topic} `)));
}
