import type { ProcessTree, TreeOptions } from "../process-tree.ts";

/**
 * Starts a command from an argument list, never through a shell. All its descendants are ended with it: by `end`, when
 * the command itself exits, and when this process ends, even by SIGKILL.
 *
 * Rejects with a `SpawnError` when the command cannot be started; then no process is left.
 */
export async function startTree(
  command: string,
  args: readonly string[],
  options: TreeOptions,
): Promise<ProcessTree> {
  // Loaded here, because many programs never start a process.
  const { launchTree } = await import("./launch-tree.ts");
  return launchTree(command, args, options);
}
