export type ShellStream = "stdout" | "stderr";

export interface ShellOptions {
  readonly cwd?: string;
  /** Added to the safe environment the shell starts from; `undefined` takes a name away. */
  readonly env?: { readonly [name: string]: string | undefined };
}

export interface ShellExecOptions extends ShellOptions {
  /** The whole process tree is ended when it has run this long. */
  readonly timeoutMs?: number;
  /** Written to standard input, which is then closed. Without it standard input is empty. */
  readonly input?: string;
  /** Ends the whole process tree when it aborts; `exec` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Hears output as it comes. */
  onOutput?(stream: ShellStream, text: string): void;
  /** How much of each stream is kept in memory; both ends are kept and the middle is dropped. Default 64 KiB. */
  readonly maxBytes?: number;
  /** Where a file with the whole output is made once it no longer fits. Without it the middle is lost. */
  readonly spillDir?: string;
}

/** How a process ended. */
export interface ShellExit {
  /** The exit code; `null` when a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it, if one did. */
  readonly signal?: string;
}

export interface ShellResult extends ShellExit {
  readonly stdout: string;
  readonly stderr: string;
  /** It ran past `timeoutMs` and was ended. */
  readonly timedOut?: boolean;
  /** How many bytes of both streams are not in `stdout` and `stderr`. */
  readonly omittedBytes?: number;
  /** The file that has the whole output, when something was omitted and `spillDir` was given. */
  readonly spillPath?: string;
}

export interface ShellSpawnOptions extends ShellOptions {
  /** Both streams are appended to this file, in the order they arrive. Without it output is drained and dropped. */
  readonly outputPath?: string;
  /** No more than this is written to `outputPath`; the rest is drained and counted. Default 64 MiB. */
  readonly maxOutputBytes?: number;
}

/** A command that keeps running while its starter goes on. */
export interface ShellProcess {
  readonly pid: number;
  /** Sends a signal to the whole process tree. Default SIGTERM. */
  kill(signal?: NodeJS.Signals): void;
  /** Ends the whole process tree, politely first; resolves when none of it is left. */
  end(graceMs?: number): Promise<ShellExit>;
  /** Hears the exit once, also when it is long past. Returns the way to stop listening. */
  onExit(listener: (exit: ShellExit) => void): () => void;
}

/**
 * The shell as tools see it. Tools start no process any other way.
 * Whatever it starts it also ends, descendants included, on every way out.
 */
export interface Shell {
  /** Runs a command line to its end. A non-zero exit is a result; rejects only when it cannot start or is aborted. */
  exec(command: string, options?: ShellExecOptions): Promise<ShellResult>;
  /** Starts a command line and returns at once. */
  spawn(command: string, options?: ShellSpawnOptions): Promise<ShellProcess>;
}
