import type { ProcessTree, TreeOptions } from "../process-tree.ts";

/**
 * Starts a command, by argument list and never through a shell, as the root of a tree that is ended as a whole:
 * by `end`, when the command itself exits, and when this process goes, even if it is killed outright.
 *
 * Rejects with a `SpawnError` when it cannot be started; then nothing of it is left.
 */
export async function startTree(
  command: string,
  args: readonly string[],
  options: TreeOptions,
): Promise<ProcessTree> {
  // Only here: whoever never starts a process does not pay for the machinery.
  const { launchTree } = await import("./launch-tree.ts");
  return launchTree(command, args, options);
}
