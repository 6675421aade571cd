import { openRun, type Run, type RunOptions } from "../boot/internal.ts";
import type { CommandCall, CommandSpec } from "../launch/internal.ts";

/** What a command does. Resolves to the exit code. */
export type Work<Request> = (run: Run, request: Request, commands: readonly Command[]) => Promise<number>;

/** A subcommand: its words, and how to load what it does. */
export interface Command extends CommandSpec {
  /** Absent: the parser answers the command itself. */
  load?(): Promise<Work<object>>;
}

/** Runs one subcommand, in its own run. */
export async function runSubcommand(
  { name, request, cwd, cluster }: CommandCall,
  commands: readonly Command[],
  options: RunOptions,
): Promise<number> {
  const command = commands.find((each) => each.name === name);
  if (!command?.load) throw new Error(`there is no command ${name}`);
  // `--cwd` overrides the current folder.
  await using run = await openRun(cwd === undefined ? options : { ...options, cwd });
  const work = await command.load();
  if (!cluster) return await work(run, request, commands);
  const { inCluster } = await import("../cluster/internal.ts");
  return await inCluster(run, cluster, (own) => work(own, request, commands));
}
