import { type ChildProcess, spawn } from "node:child_process";
import { mintUlid } from "../../ulid.ts";
import { FollowedTree } from "../end/followed-tree.ts";
import type { TreeControl } from "../end/tree-control.ts";
import { COOKIE_NAME, type TreeRecord } from "../members/process-identity.ts";
import type { ProcessTree, TreeOptions } from "../process-tree.ts";
import { announceTree, ownTree, retractTree } from "../watchdog/owned-trees.ts";
import { explainSpawnFailure } from "./spawn-error.ts";
import type { WindowsCommand } from "./windows-command.ts";

/** The implementation of `startTree`, loaded on first use. */
export async function launchTree(
  command: string,
  args: readonly string[],
  options: TreeOptions,
): Promise<ProcessTree> {
  const control = await loadTreeControl();
  const cookie = mintUlid();
  announceTree(cookie);
  try {
    const child = await spawnChild(command, args, { ...options, cookie });
    const record = recordOf(child.pid, cookie, control);
    ownTree(record, control);
    return new FollowedTree(child, { record, control, options });
  } catch (thrown) {
    retractTree(cookie);
    throw thrown;
  }
}

/** The tree control of this platform, loaded with the first tree. */
function loadTreeControl(): Promise<TreeControl> {
  loadingControl ??= importTreeControl();
  return loadingControl;
}

let loadingControl: Promise<TreeControl> | undefined;

async function importTreeControl(): Promise<TreeControl> {
  if (process.platform === "win32")
    return (await import("../end/windows-tree-control.ts")).windowsTreeControl;
  const { createPosixTreeControl } = await import("../end/posix-tree-control.ts");
  const { procProcessTable } = await import("../members/proc-process-table.ts");
  if (procProcessTable.startTimeOf(process.pid) !== undefined)
    return createPosixTreeControl(procProcessTable);
  return createPosixTreeControl((await import("../members/ps-process-table.ts")).psProcessTable);
}

/** Starts the process as the leader of its own group, where groups exist. Rejects with a `SpawnError`. */
async function spawnChild(
  command: string,
  args: readonly string[],
  options: TreeOptions & { readonly cookie: string },
): Promise<ChildProcess & { readonly pid: number }> {
  let child: ChildProcess;
  const { umask } = options;
  // A process inherits it, and Node has no option for it. Nothing else runs before it is restored.
  const before = umask === undefined ? undefined : process.umask(umask);
  try {
    const launch = process.platform === "win32" ? await onWindows(command, args, options) : undefined;
    child = spawn(launch?.file ?? command, launch?.args ?? args, {
      cwd: options.cwd,
      env: { ...options.env, ...launch?.env, [COOKIE_NAME]: nestedCookie(options.cookie) },
      stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: launch?.verbatimArguments ?? false,
    });
  } catch (cause) {
    throw explainSpawnFailure(command, options.cwd, cause);
  } finally {
    if (before !== undefined) process.umask(before);
  }
  if (isStarted(child)) {
    child.on("error", () => {});
    return child;
  }
  const cause = await new Promise((resolve) => void child.once("error", resolve));
  for (const stream of child.stdio ?? []) stream?.destroy();
  throw explainSpawnFailure(command, options.cwd, cause);
}

/** `npx` is `npx.cmd` on Windows. A line for `cmd.exe` itself is used as it is. */
async function onWindows(
  command: string,
  args: readonly string[],
  { cwd = process.cwd(), env, verbatimArguments }: TreeOptions,
): Promise<WindowsCommand> {
  if (verbatimArguments) return { file: command, args, verbatimArguments, env: {} };
  return (await import("./windows-command.ts")).windowsCommand(command, args, { cwd, env });
}

function isStarted(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
}

/** Inside another tree the child gets both cookies, so the outer owner finds it too. */
function nestedCookie(cookie: string): string {
  const outer = process.env[COOKIE_NAME];
  return outer ? `${outer}:${cookie}` : cookie;
}

function recordOf(pid: number, cookie: string, control: TreeControl): TreeRecord {
  const startTime = control.startTimeOf(pid) ?? 0;
  return {
    cookie,
    root: { pid, startTime },
    remembered: new Map([[pid, startTime]]),
    sinceMs: performance.now(),
    rootExited: false,
  };
}
