import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import { CWD, JSON_OUTPUT, MCP, readSources, type ServerSources, YES } from "./common-flags.ts";

export interface ApproveRequest {
  /** Servers and tools. Empty: everything that waits is shown, and nothing approved. */
  readonly names: readonly string[];
  /** Servers of which everything is approved, also if their stored forms are damaged. */
  readonly all: readonly string[];
  readonly sources: ServerSources;
  readonly yes: boolean;
  readonly json: boolean;
}

export interface HistoryRequest {
  /** Only events of these servers and tools. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
}

export interface DiffRequest {
  readonly from: string;
  /** Default: now. */
  readonly to?: string;
  readonly json: boolean;
}

export interface ExplainRequest {
  readonly tool: string;
  readonly json: boolean;
}

export interface McpLedgerRequests {
  readonly "mcp approve": ApproveRequest;
  readonly "mcp history": HistoryRequest;
  readonly "mcp diff": DiffRequest;
  readonly "mcp explain": ExplainRequest;
}

const ALL: Flag = {
  name: "--all",
  aliases: [],
  kind: "string",
  value: "SERVER",
  repeats: true,
  describe: "Approve everything that this server changed, also if its approved forms cannot be read.",
};

/** The commands about what servers changed, and what earlier runs recorded. They start no server. */
export const MCP_LEDGER_COMMANDS: CommandTable<McpLedgerRequests> = {
  "mcp approve": {
    operands: "[SERVER|TOOL …]",
    summary:
      "Show what servers changed in their tools, prompts and instructions, and use the new form of those named. Without names nothing is approved.",
    flags: [ALL, YES, JSON_OUTPUT, MCP, CWD],
    examples: ["indus mcp approve", "indus mcp approve notes__add", "indus mcp approve --all notes"],
    read: (flags) => ({
      names: [...flags.operands, ...flags.afterEnd],
      all: flags.list("--all"),
      sources: readSources(flags),
      yes: flags.has("--yes"),
      json: flags.has("--json"),
    }),
  },
  "mcp history": {
    operands: "[SERVER|TOOL …]",
    summary: "Show what earlier runs recorded: which tools came, went, changed or were approved, and when.",
    flags: [JSON_OUTPUT, CWD],
    examples: ["indus mcp history", "indus mcp history notes"],
    read: (flags) => ({ names: [...flags.operands, ...flags.afterEnd], json: flags.has("--json") }),
  },
  "mcp diff": {
    operands: "FROM [TO]",
    summary:
      "Show the differences between the tools at two moments. A moment is a time such as 2026-11-16T09:30:00Z, or the id of a run. TO is now if absent.",
    flags: [JSON_OUTPUT, CWD],
    examples: ["indus mcp diff 2026-11-15", "indus mcp diff 2026-11-15T09:00Z 2026-11-16T09:00Z"],
    read: (flags) => {
      const [from, to, surplus] = [...flags.operands, ...flags.afterEnd];
      if (from === undefined) return { problem: "mcp diff needs a moment to compare with" };
      if (surplus !== undefined)
        return { problem: `mcp diff takes two moments, not also ${JSON.stringify(surplus)}` };
      return { from, ...(to === undefined ? {} : { to }), json: flags.has("--json") };
    },
  },
  "mcp explain": {
    operands: "TOOL",
    summary: "Explain why a tool is here, gone or withheld: since when, by which server, and what changed.",
    flags: [JSON_OUTPUT, CWD],
    examples: ["indus mcp explain notes__add"],
    read: (flags) => {
      const [tool, surplus] = [...flags.operands, ...flags.afterEnd];
      if (tool === undefined) return { problem: "mcp explain needs the name of a tool" };
      if (surplus !== undefined)
        return { problem: `mcp explain takes one tool, not also ${JSON.stringify(surplus)}` };
      return { tool, json: flags.has("--json") };
    },
  },
};
