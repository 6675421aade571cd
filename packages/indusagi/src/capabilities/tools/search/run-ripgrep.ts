import { spawn } from "node:child_process";

export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Hears the output as it comes; answering false ends the run. */
  onOutput(chunk: Buffer): boolean;
}

export interface RipgrepExit {
  /** Nothing when it was ended by a signal. */
  readonly code: number | null;
  readonly stderr: string;
  /** `onOutput` had enough. */
  readonly stopped: boolean;
}

/** Remarks are counted, never shown: a tree with very many of them needs no more memory than this. */
const MAX_STDERR_CHARS = 4 * 1024 * 1024;

/**
 * Runs ripgrep to its end, or kills it when the signal aborts. Not through the shell port, which takes command lines:
 * ripgrep gets an argument list and has no children, so that killing it is killing all of it.
 * Rejects when it cannot be started and with the signal's reason.
 */
export function runRipgrep({ program, args, cwd, signal, onOutput }: RipgrepRun): Promise<RipgrepExit> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const child = spawn(program, args, { cwd, env: safeEnv(), stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    let stderr = "";
    let stopped = false;
    const kill = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", kill, { once: true });

    child.stdout.on("data", (chunk: Buffer) => {
      if (stopped || onOutput(chunk)) return;
      stopped = true;
      kill();
    });
    child.stderr.setEncoding("latin1").on("data", (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text;
    });
    child.once("error", (cause) => {
      signal.removeEventListener("abort", kill);
      reject(cause);
    });
    child.once("close", (code) => {
      signal.removeEventListener("abort", kill);
      if (signal.aborted && !stopped) reject(signal.reason as Error);
      else resolve({ code, stderr, stopped });
    });
  });
}

/** Ripgrep needs nothing of ours but what Windows needs to start a program. */
function safeEnv(): NodeJS.ProcessEnv {
  const root = process.env["SystemRoot"];
  return root === undefined ? {} : { SystemRoot: root };
}
