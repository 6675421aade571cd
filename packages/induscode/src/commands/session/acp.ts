import { openRun, productVersion, type Run } from "../../boot/internal.ts";
import { type OpenedSession, openSession, ruleProblem } from "../../conductor/open/internal.ts";
import { runAcp } from "../../front/acp/index.ts";
import type { Invocation } from "../../launch/index.ts";
import {
  type CommandSpec,
  mainFlag,
  readInvocation,
  readSessionFlags,
  SESSION_FLAGS,
  type SessionFlags,
} from "../../launch/internal.ts";
import { mentionedServers } from "./mentioned-servers.ts";

interface AcpRequest {
  /** Applies to every session that the editor opens. */
  readonly invocation: Invocation;
  readonly flags: SessionFlags;
}

/** Without `--cwd` and `--continue`: the editor chooses the folder and the session. */
const SESSION_VALUES = [
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

export const ACP: CommandSpec<AcpRequest> = {
  name: "acp",
  group: "everyday",
  summary: "Let an editor drive sessions over standard input and output, with the Agent Client Protocol.",
  flags: [...SESSION_VALUES, ...SESSION_FLAGS],
  examples: ["indus acp --model anthropic/claude-sonnet-4-5"],
  read: (given) => ({ invocation: readInvocation(given), flags: readSessionFlags(given) }),
};

/** `indus acp`: serves the Agent Client Protocol until the editor closes the connection. Each session has its own run. */
export async function acp(
  { terminal, signal, env, report }: Run,
  { invocation, flags }: AcpRequest,
): Promise<number> {
  const problem = await ruleProblem(flags);
  if (problem !== undefined) {
    report(problem);
    return 2;
  }
  return runAcp({
    version: productVersion(),
    signal,
    input: process.stdin,
    output: process.stdout,
    open: async ({ cwd, servers, resume, user }) => {
      const run = await openRun({ terminal, signal, env, cwd });
      try {
        const line = { ...invocation, ...(resume !== undefined && { resume }) };
        const opened = await openSession(run, line, { flags, user, servers });
        if (!opened) throw new Error("the session could not be opened; see the agent's log");
        return opening(opened, run);
      } catch (thrown) {
        await run[Symbol.asyncDispose]();
        throw thrown;
      }
    },
  });
}

function opening({ session, servers }: OpenedSession, run: Run) {
  return {
    session,
    mentioned: mentionedServers(servers),
    [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
  };
}
