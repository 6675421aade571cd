import type { CommandTable } from "../command-spec.ts";

export interface HelpRequest {
  /** The words of a command or of a family of commands. Empty: everything. */
  readonly words: readonly string[];
}

export interface HelpRequests {
  readonly help: HelpRequest;
}

/** `indus help`. */
export const HELP_COMMAND: CommandTable<HelpRequests> = {
  help: {
    operands: "[COMMAND]",
    summary: "Show this help, or the help of one command.",
    flags: [],
    examples: ["indus help mcp call"],
    read: ({ operands, afterEnd }) => ({ words: [...operands, ...afterEnd] }),
  },
};
