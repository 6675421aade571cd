import type { OutputListener } from "./start/drain-output.ts";

/** How a process ended: an exit code, or the signal that ended it. */
export interface TreeExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a whole tree ended. */
export interface TreeEnd extends TreeExit {
  /** Processes that could not be ended: another user's, or stuck in the kernel. Normally none. */
  readonly survivors: readonly number[];
}

export interface TreeOptions {
  readonly cwd?: string;
  /** The whole environment of the process; only the cookie is added. */
  readonly env: { readonly [name: string]: string | undefined };
  /** Whether it gets a standard input that can be written to. Default `ignore`: it reads an empty one. */
  readonly stdin?: "pipe" | "ignore";
  /** Hear the output. It is drained in any case. */
  readonly onStdout?: OutputListener;
  readonly onStderr?: OutputListener;
  /** Hears that nobody can write to standard output any more: the process has closed it, or has exited. */
  readonly onStdoutEnd?: () => void;
  /** No more than this may wait to be read by the process. Default 16 MiB. */
  readonly maxQueuedInputBytes?: number;
  /** How long the output is still listened to once the process has exited while others hold its pipes. Default 100 ms. */
  readonly drainGraceMs?: number;
  /** Windows only: the arguments are one command line as it stands. */
  readonly verbatimArguments?: boolean;
}

export interface TreeEndOptions {
  /** How long each polite step, end of input and SIGTERM, is given before the next. Default 1 s. */
  readonly graceMs?: number;
}

/** A process that was started together with everything it starts. */
export interface ProcessTree {
  readonly pid: number;
  /** Resolves when the process itself has exited, whatever its descendants do. Never rejects. */
  readonly exited: Promise<TreeExit>;
  /**
   * Resolves when nothing is left: the process has exited, its output has been heard to the end, and what it left
   * behind has been ended. Never rejects.
   */
  readonly gone: Promise<TreeEnd>;
  /** Writes to standard input. See `InputQueue.write`. */
  write(data: string | Uint8Array): Promise<void>;
  /** Closes standard input once everything written has gone out. */
  closeInput(): void;
  /** Sends a signal to the whole tree. Default SIGTERM. */
  kill(signal?: NodeJS.Signals): void;
  /**
   * Ends the whole tree: end of input, SIGTERM, SIGKILL, each awaited. Resolves when none of it is left, or names those
   * that could not be ended. Never rejects; callers share one ending.
   */
  end(options?: TreeEndOptions): Promise<TreeEnd>;
}
