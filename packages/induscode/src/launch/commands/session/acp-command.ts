import type { CommandTable } from "../../command-spec.ts";
import { mainFlag } from "../../flag-table.ts";
import type { Invocation } from "../../invocation.ts";
import { readInvocation } from "../../read-invocation.ts";
import { readSessionFlags, SESSION_FLAGS, type SessionFlags } from "./session-flags.ts";

export interface AcpRequest {
  /** The values for every session that the editor opens. */
  readonly invocation: Invocation;
  readonly flags: SessionFlags;
}

export interface AcpRequests {
  readonly acp: AcpRequest;
}

/** The editor decides about the folder and which session goes on. */
const FLAGS = [
  "--model",
  "--fallback-model",
  "--account",
  "--thinking",
  "--system",
  "--append-system",
  "--tools",
  "--no-tools",
  "--mcp",
].map(mainFlag);

/** `indus acp`. */
export const ACP_COMMAND: CommandTable<AcpRequests> = {
  acp: {
    summary:
      "Let an editor drive sessions with a model, by the Agent Client Protocol over standard input and output.",
    flags: [...FLAGS, ...SESSION_FLAGS],
    examples: ["indus acp --model anthropic/claude-sonnet-4-5"],
    read: (given) => ({ invocation: readInvocation(given), flags: readSessionFlags(given) }),
  },
};
