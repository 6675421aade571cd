import { once } from "node:events";
import { openRun, type RunOptions } from "../../boot/internal.ts";
import { openSession } from "../../conductor/open/internal.ts";
import { runLink } from "../../front/link/index.ts";
import type { SessionLine } from "../../launch/internal.ts";
import { withMessages } from "../../screen/terminal/index.ts";
import { mentionedServers } from "./mentioned-servers.ts";

/** `indus --rpc`: a session that another program drives. Resolves to the exit code. */
export async function link({ invocation, flags }: SessionLine, options: RunOptions): Promise<number> {
  const { terminal } = options;
  let notify = (_message: string): void => {};
  const messages = withMessages(terminal, (text) => {
    terminal.err(text);
    const [, message] = /^indus: (.+)\n$/.exec(text) ?? [];
    if (message !== undefined) notify(message);
  });
  await using run = await openRun({ ...options, terminal: messages });
  return await runLink({
    cwd: run.cwd,
    signal: run.signal,
    input: process.stdin,
    write: createWriter(run.signal),
    open: async (user, notice) => {
      notify = notice;
      const opened = await openSession(run, invocation, { flags, user });
      if (!opened) throw new Error("the session could not be opened");
      return { ...opened, mentioned: mentionedServers(opened.servers) };
    },
  });
}

/** Writes a line, and resolves when the reader can take more or the program exits. */
function createWriter(signal: AbortSignal): (line: string) => Promise<void> {
  /** Shared by all waiting lines. */
  let drained: Promise<unknown> | undefined;
  return async (line) => {
    if (process.stdout.write(line) || signal.aborted) return;
    drained ??= once(process.stdout, "drain", { signal })
      .catch(() => {})
      .finally(() => (drained = undefined));
    await drained;
  };
}
