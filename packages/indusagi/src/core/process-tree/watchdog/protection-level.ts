/**
 * How reliably every process of a tree is found and ended. No level is complete. On Linux a process belongs to the tree
 * if one of these holds when the process table is scanned:
 *
 * - it is in the process group or the session of the started process;
 * - it is a descendant of a process that belongs to the tree;
 * - its environment had the cookie (`INDUS_TREE`) when its program started;
 * - an earlier scan found it in the tree.
 *
 * So one kind of process is missed: it is in a new session, its program started without the cookie, and its parents
 * in the tree ended before a scan saw it. To let a program outlive its tree, e.g. a daemon, start it with
 * `env -u INDUS_TREE setsid --fork PROGRAM`.
 */
export interface ProtectionLevel {
  /**
   * - `full`: group, session, parents, earlier scans and the cookie in the environment (Linux);
   * - `group`: group, parents and earlier scans (macOS and others; untested there);
   * - `taskkill`: what Windows can find by parents (run under Wine only, where descendants are not found).
   */
  readonly level: "full" | "group" | "taskkill";
  /** Whether trees are ended even if this process is killed with SIGKILL. Not on Deno. */
  readonly survivesKill: boolean;
  /** The same in words. */
  readonly message: string;
}

/** The protection against leftover processes that is active here. */
export function protectionLevel(
  platform: NodeJS.Platform = process.platform,
  versions: { readonly [runtime: string]: string | undefined } = process.versions,
): ProtectionLevel {
  const level = platform === "win32" ? "taskkill" : hasProc(platform) ? "full" : "group";
  // Deno does not run the watchdog's program: it has other flags, and changes arguments that contain its own path.
  const problem = versions["deno"] === undefined ? watchdogProblem : "its program does not run on Deno";
  const survivesKill = problem === undefined;
  const watch = survivesKill
    ? "a watchdog ends them if this process is killed"
    : `no watchdog: ${problem}; processes started here may survive if this process is killed`;
  return { level, survivesKill, message: `${LEVELS[level]}; ${watch}` };
}

/** Records why there is no watchdog; `undefined` if there is one. */
export function noteWatchdogProblem(problem: string | undefined): void {
  watchdogProblem = problem;
}

let watchdogProblem: string | undefined;

const LEVELS: { readonly [level in ProtectionLevel["level"]]: string } = {
  full: "processes are found by group, session, parent, environment and earlier scans; one that is in a new session, without INDUS_TREE in its environment and without parents before it is scanned is not found",
  group: "processes are found by group and parent; one that leaves both at once may be missed",
  taskkill: "processes are ended by taskkill; one whose parent has ended may be missed",
};

function hasProc(platform: NodeJS.Platform): boolean {
  return platform === "linux" && process.getBuiltinModule("node:fs").existsSync("/proc/self/environ");
}
