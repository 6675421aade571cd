import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { SearchFault } from "../search-job.ts";

interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Called with each chunk of output; returning false ends the run. */
  onOutput(chunk: Buffer): boolean;
  onRemarks(text: string): void;
}

interface RipgrepExit {
  /** null if a signal ended it. */
  readonly code: number | null;
  /** `onOutput` returned false. */
  readonly stopped: boolean;
}

/**
 * Runs ripgrep, or kills it when the signal aborts. It does not use the shell port, which takes command lines: ripgrep
 * gets an argument list, and it has no children, so killing the process is enough.
 * Rejects if ripgrep cannot be started or uses too much memory, and with the signal's reason.
 */
export function runRipgrep({ program, args, cwd, signal, ...listeners }: RipgrepRun): Promise<RipgrepExit> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const child: ChildProcess = spawn(program, args, {
      cwd,
      env: safeEnv(),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let stopped = false;
    const kill = (): void => void child.kill("SIGKILL");
    const giveUp = (reason: unknown): void => {
      kill();
      // Do not wait for its exit: on a disk that hangs, even SIGKILL takes long.
      reject(reason);
    };
    const onAbort = (): void => giveUp(signal.reason);
    const stopWatching = watchMemory(child.pid, () =>
      giveUp(new SearchFault("engine", "ripgrep used too much memory")),
    );
    const finish = (): void => {
      signal.removeEventListener("abort", onAbort);
      stopWatching();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    // Before the pipes are used: if no descriptors are left there are no pipes, and the error event follows.
    child.once("error", (cause) => {
      finish();
      reject(cause);
    });

    child.stdout?.on("data", (chunk: Buffer) => {
      if (stopped || listeners.onOutput(chunk)) return;
      stopped = true;
      kill();
    });
    child.stderr?.setEncoding("latin1").on("data", (text: string) => listeners.onRemarks(text));
    child.once("close", (code) => {
      finish();
      resolve({ code, stopped });
    });
  });
}

/** Ripgrep gets no environment, except what Windows needs to start a program. */
function safeEnv(): NodeJS.ProcessEnv {
  const root = process.env["SystemRoot"];
  return root === undefined ? {} : { SystemRoot: root };
}

/** Ripgrep normally needs about 15 MiB. */
const MAX_KIB = 256 * 1024;
const CHECK_EVERY_MS = 100;

/**
 * Calls `onExcess` when a process uses too much memory: ripgrep reads ignore files to their end, and one that links to
 * /dev/zero has no end. Linux only; elsewhere the deadline ends the search. Returns a function that stops watching.
 */
function watchMemory(pid: number | undefined, onExcess: () => void): () => void {
  if (pid === undefined || process.platform !== "linux") return () => {};
  const check = async (): Promise<void> => {
    if ((await residentKib(pid)) <= MAX_KIB) return;
    clearInterval(timer);
    onExcess();
  };
  const timer = setInterval(() => void check(), CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function residentKib(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    // It has exited, or its status cannot be read.
    return 0;
  }
}

let located: Promise<string | undefined> | undefined;

/** The path of ripgrep: from its optional package, else from the PATH. Looked up once. */
export function locateRipgrep(): Promise<string | undefined> {
  located ??= inPackage().then((path) => path ?? onPath(process.env["PATH"] ?? ""));
  return located;
}

async function inPackage(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return (await isExecutable(rgPath)) ? rgPath : undefined;
  } catch {
    // The package, or the one for this platform, is not installed.
    return undefined;
  }
}

/** Relative entries are skipped: they could run an `rg` of the searched folder. The search with `rg.exe` was never run on Windows. */
async function onPath(path: string): Promise<string | undefined> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
