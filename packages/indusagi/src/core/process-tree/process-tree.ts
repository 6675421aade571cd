import type { OutputListener, TreeInputError } from "./start/process-streams.ts";

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
  /** Whether its standard input can be written to. Default `ignore`: it reads an empty one. */
  readonly stdin?: "pipe" | "ignore";
  /** Called with the output. Without a listener the output is read and discarded. */
  readonly onStdout?: OutputListener;
  readonly onStderr?: OutputListener;
  /** Called when standard output has ended: the process has closed it or has exited. */
  readonly onStdoutEnd?: () => void;
  /** How much unread input may be queued. Default 16 MiB. */
  readonly maxQueuedInputBytes?: number;
  /** How long to keep reading output after the exit while other processes hold the pipes. Default 100 ms. */
  readonly drainGraceMs?: number;
  /** The mode bits that files of the process do not get. Default: those of this process. */
  readonly umask?: number | undefined;
  /** Windows only: pass the arguments without quoting. */
  readonly verbatimArguments?: boolean;
}

export interface TreeEndOptions {
  /** How long to wait after the end of input, and again after SIGTERM. Default 1 s. */
  readonly graceMs?: number;
}

/** A process and its descendants, as far as they can be found: see `ProtectionLevel`. */
export interface ProcessTree {
  readonly pid: number;
  /** Resolves when the process itself has exited, even if descendants still run. Never rejects. */
  readonly exited: Promise<TreeExit>;
  /**
   * Resolves when nothing is left: the process has exited, its output has been read to the end, and its remaining
   * descendants have been ended. Never rejects.
   */
  readonly gone: Promise<TreeEnd>;
  /** Writes to standard input. See `InputQueue.write`. */
  write(data: string | Uint8Array): Promise<void>;
  /** The same with a callback instead of a promise, for many small writes. It may be called at once. */
  send(data: string | Uint8Array, done: (failure?: TreeInputError) => void): void;
  /** Lets our own process exit although this one runs; then it is ended. `ref` undoes it. */
  unref(): void;
  ref(): void;
  /** Closes standard input once everything written has gone out. */
  closeInput(): void;
  /** Sends a signal to the whole tree. Default SIGTERM. */
  kill(signal?: NodeJS.Signals): void;
  /**
   * Ends the whole tree: end of input, then SIGTERM, then SIGKILL. Resolves when no process is left, or with those that
   * could not be ended. Never rejects; concurrent callers share one run.
   */
  end(options?: TreeEndOptions): Promise<TreeEnd>;
}
