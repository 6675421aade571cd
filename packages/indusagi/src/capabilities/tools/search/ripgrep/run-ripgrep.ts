import { type ChildProcess, spawn } from "node:child_process";
import { SearchFault } from "../search-fault.ts";
import { watchMemory } from "./watch-memory.ts";

export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Hears the output as it comes; answering false ends the run. */
  onOutput(chunk: Buffer): boolean;
  onRemarks(text: string): void;
}

export interface RipgrepExit {
  /** Nothing when it was ended by a signal. */
  readonly code: number | null;
  /** `onOutput` had enough. */
  readonly stopped: boolean;
}

/**
 * Runs ripgrep to its end, or kills it when the signal aborts. Not through the shell port, which takes command lines:
 * ripgrep gets an argument list and has no children, so that killing it is killing all of it.
 * Rejects when it cannot be started, when it takes too much memory, and with the signal's reason.
 */
export function runRipgrep({ program, args, cwd, signal, ...hears }: RipgrepRun): Promise<RipgrepExit> {
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
      // Not when it has gone: on a disk that hangs even killing takes its time.
      reject(reason);
    };
    const onAbort = (): void => giveUp(signal.reason);
    const stopWatching = watchMemory(child.pid, () =>
      giveUp(new SearchFault("engine", "ripgrep took too much memory")),
    );
    const finish = (): void => {
      signal.removeEventListener("abort", onAbort);
      stopWatching();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    // Before the pipes are looked at: without descriptors there are none, and the error comes next.
    child.once("error", (cause) => {
      finish();
      reject(cause);
    });

    child.stdout?.on("data", (chunk: Buffer) => {
      if (stopped || hears.onOutput(chunk)) return;
      stopped = true;
      kill();
    });
    child.stderr?.setEncoding("latin1").on("data", (text: string) => hears.onRemarks(text));
    child.once("close", (code) => {
      finish();
      resolve({ code, stopped });
    });
  });
}

/** Ripgrep needs nothing of ours but what Windows needs to start a program. */
function safeEnv(): NodeJS.ProcessEnv {
  const root = process.env["SystemRoot"];
  return root === undefined ? {} : { SystemRoot: root };
}
