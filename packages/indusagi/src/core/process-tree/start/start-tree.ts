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
  // Loaded on demand: many programs never start a process.
  const { launchTree } = await import("./launch-tree.ts");
  return launchTree(command, args, options);
}

/**
 * Leaves plain JavaScript for the watchdog to run after this process has ended, however that happened, and no process of
 * its trees is left. It can `require` Node's modules. It does not run if the trees cannot be ended. Resolves, once the
 * watchdog has it, to a function that withdraws it.
 */
export async function leaveWill(source: string): Promise<() => void> {
  const { keepWill } = await import("../watchdog/owned-trees.ts");
  return keepWill(source);
}
