import { runAcp } from "../acp/index.ts";
import type { OpenedSession, Run } from "../boot/internal.ts";
import { openRun, productVersion, ruleProblem } from "../boot/internal.ts";
import type { AcpRequest } from "../launch/internal.ts";
import { mentionedServers } from "./session/mentioned-servers.ts";

/** `indus acp`: serves the Agent Client Protocol to an editor, until it closes the connection. Each session has its own run. */
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
        const opened = await run.openSession(line, { flags, user, servers });
        if (!opened) throw new Error("the session could not be opened; see the log of the agent");
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
