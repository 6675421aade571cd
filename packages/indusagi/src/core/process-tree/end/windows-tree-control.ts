import { spawn } from "node:child_process";
import type { TreeRecord } from "../members/tree-record.ts";
import type { TreeControl } from "./tree-control.ts";

/** Windows: `taskkill` finds the descendants. Only the started process is known to be alive or not. Untested. */
export const windowsTreeControl: TreeControl = {
  startTimeOf: () => 0,
  scan: (tree) => ({ members: tree.rootExited ? [] : [tree.root], isSure: true }),
  scanAll: () => {},
  signal(tree, signal) {
    if (tree.rootExited) return;
    const force = signal === "SIGKILL" ? ["/F"] : [];
    taskkill(tree, force);
  },
};

function taskkill(tree: TreeRecord, force: readonly string[]): void {
  const command = `${process.env["SystemRoot"] ?? "C:\\Windows"}\\System32\\taskkill.exe`;
  const killer = spawn(command, ["/PID", String(tree.root.pid), "/T", ...force], {
    stdio: "ignore",
    windowsHide: true,
  });
  // It cannot start, or the tree has ended: the next scan decides.
  killer.on("error", () => {});
}
