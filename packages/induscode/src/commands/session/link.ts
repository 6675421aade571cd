import { once } from "node:events";
import type { Run } from "../../boot/internal.ts";
import type { SessionLine } from "../../launch/internal.ts";
import { runLink } from "../../link/index.ts";
import { mentionedServers } from "./mentioned-servers.ts";

/** `indus --rpc`: a session that another program drives. Resolves to the exit code. */
export function link(run: Run, { invocation, flags }: SessionLine): Promise<number> {
  return runLink({
    cwd: run.cwd,
    signal: run.signal,
    input: process.stdin,
    write: (line) => written(line, run.signal),
    open: async (user) => {
      const opened = await run.openSession(invocation, { flags, user });
      if (!opened) throw new Error("the session could not be opened");
      return { ...opened, mentioned: mentionedServers(opened.servers) };
    },
  });
}

/** Resolves when the reader can take more, or when the program ends. */
async function written(line: string, signal: AbortSignal): Promise<void> {
  if (process.stdout.write(line) || signal.aborted) return;
  await once(process.stdout, "drain", { signal }).catch(() => {});
}
