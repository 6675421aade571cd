import { type ChildProcess, spawn } from "node:child_process";
import { COOKIE_NAME } from "../members/tree-record.ts";
import type { TreeOptions } from "../process-tree.ts";
import { explainSpawnFailure } from "./spawn-error.ts";

/** Starts the process as the leader of its own group, where groups exist. Rejects with a `SpawnError`. */
export async function spawnChild(
  command: string,
  args: readonly string[],
  options: TreeOptions & { readonly cookie: string },
): Promise<ChildProcess & { readonly pid: number }> {
  const start = process.platform === "win32" ? await loadWindowsSpawn() : spawn;
  let child: ChildProcess;
  try {
    child = start(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...options.env, [COOKIE_NAME]: nestedCookie(options.cookie) },
      stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: options.verbatimArguments ?? false,
    });
  } catch (cause) {
    throw explainSpawnFailure(command, options.cwd, cause);
  }
  if (isStarted(child)) {
    child.on("error", () => {});
    return child;
  }
  const cause = await new Promise((resolve) => void child.once("error", resolve));
  for (const stream of child.stdio ?? []) stream?.destroy();
  throw explainSpawnFailure(command, options.cwd, cause);
}

/** `npx` is `npx.cmd` on Windows and needs special quoting. Untested. */
async function loadWindowsSpawn(): Promise<typeof spawn> {
  return (await import("cross-spawn")).default as typeof spawn;
}

function isStarted(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
}

/** Inside another tree the child gets both cookies, so that the outer owner finds it too. */
function nestedCookie(cookie: string): string {
  const outer = process.env[COOKIE_NAME];
  return outer ? `${outer}:${cookie}` : cookie;
}
