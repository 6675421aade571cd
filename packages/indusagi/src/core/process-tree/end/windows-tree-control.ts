import { spawn, spawnSync } from "node:child_process";
import type { TreeRecord } from "../members/process-identity.ts";
import type { TreeControl } from "./tree-control.ts";

/**
 * Windows: `taskkill /T` finds the descendants. Only the started process is known to be alive or not. Run under Wine only,
 * whose `taskkill` has no `/T`: that it ends descendants is untested.
 */
export const windowsTreeControl: TreeControl = {
  startTimeOf: () => 0,
  scan: (tree) => ({ members: tree.rootExited ? [] : [tree.root], isSure: true }),
  scanAll: () => {},
  signal(tree, signal) {
    if (tree.rootExited) return;
    const isForced = signal === "SIGKILL";
    // One at a time: a tree that is being ended is signalled again every few milliseconds.
    if (running.get(tree) === isForced) return;
    running.set(tree, isForced);
    const killer = spawn(TASKKILL, argumentsFor([tree], isForced), { stdio: "ignore", windowsHide: true });
    killer.on("error", () => endRoot(tree, isForced));
    killer.on("exit", (code) => {
      if (running.get(tree) === isForced) running.delete(tree);
      if (code !== 0) endRoot(tree, isForced);
    });
  },
  killNow(trees) {
    const living = trees.filter((tree) => !tree.rootExited);
    if (living.length === 0) return;
    // Windows ends our own children with us, so a killer that is still running would be one of the victims.
    const { status } = spawnSync(TASKKILL, argumentsFor(living, true), {
      stdio: "ignore",
      windowsHide: true,
      timeout: EXIT_LIMIT_MS,
    });
    if (status !== 0) for (const tree of living) endRoot(tree, true);
  },
};

const TASKKILL = `${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32\\taskkill.exe`;
const EXIT_LIMIT_MS = 5_000;

/** The trees that a `taskkill` is working on, and whether with force. */
const running = new WeakMap<TreeRecord, boolean>();

function argumentsFor(trees: readonly TreeRecord[], isForced: boolean): string[] {
  return [...trees.flatMap(({ root }) => ["/PID", String(root.pid)]), "/T", ...(isForced ? ["/F"] : [])];
}

/** Where `taskkill` is missing or refuses, at least the started process ends. */
function endRoot({ root, rootExited }: TreeRecord, isForced: boolean): void {
  if (rootExited || !isForced) return;
  try {
    process.kill(root.pid, "SIGKILL");
  } catch {
    // It has ended: the next scan decides.
  }
}
