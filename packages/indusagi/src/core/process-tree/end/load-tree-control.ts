import type { TreeControl } from "./tree-control.ts";

/** The tree control of this platform, loaded with the first tree. */
export function loadTreeControl(): Promise<TreeControl> {
  loading ??= load();
  return loading;
}

let loading: Promise<TreeControl> | undefined;

async function load(): Promise<TreeControl> {
  if (process.platform === "win32") return (await import("./windows-tree-control.ts")).windowsTreeControl;
  const { createPosixTreeControl } = await import("./posix-tree-control.ts");
  const { procProcessTable } = await import("../members/proc-process-table.ts");
  if (procProcessTable.startTimeOf(process.pid) !== undefined)
    return createPosixTreeControl(procProcessTable);
  return createPosixTreeControl((await import("../members/ps-process-table.ts")).psProcessTable);
}
