export type ShellStream = "stdout" | "stderr";

export interface ShellOptions {
  readonly cwd?: string;
  /** Added to the shell's safe environment; `undefined` removes a name. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Starts the command line through another program. A shell that cannot do that must reject the command. */
  readonly wrap?: ShellWrap;
}

/** How a command line is about to be started. */
export interface ShellLaunch {
  readonly path: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
}

/** What to start instead. */
export interface WrappedLaunch {
  readonly path: string;
  readonly args: readonly string[];
  /** Added to the environment of the command, after everything else. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Called once: when no process of the command is left, or if it could not be started. Must not throw. */
  release?(): void;
}

/** Replaces the program that runs a command line, for example with a sandbox. A rejection refuses the command. */
export type ShellWrap = (launch: ShellLaunch) => Promise<WrappedLaunch>;

export interface ShellExecOptions extends ShellOptions {
  /** After this time the whole process tree is ended. */
  readonly timeoutMs?: number;
  /** Written to standard input, which is then closed. Default: empty. */
  readonly input?: string;
  /** Ends the whole process tree when it aborts; `exec` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with output as it arrives. */
  onOutput?(stream: ShellStream, text: string): void;
  /** How much of each stream to keep in memory: both ends; the middle is dropped. Default 64 KiB. */
  readonly maxBytes?: number;
  /** The folder for a file with the whole output, made when it does not fit. Without it the middle is lost. */
  readonly spillDir?: string;
}

/** How a process ended. */
export interface ShellExit {
  /** null if a signal ended the process. */
  readonly code: number | null;
  /** The signal that ended the process, if any. */
  readonly signal?: string;
}

export interface ShellResult extends ShellExit {
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended because of `timeoutMs`. */
  readonly timedOut?: boolean;
  /** Bytes of both streams that are not in `stdout` and `stderr`. */
  readonly omittedBytes?: number;
  /** The file with the whole output, if something was omitted and `spillDir` was given. */
  readonly spillPath?: string;
}

/** Without `outputPath` and `onOutput` the output is discarded. */
export interface ShellSpawnOptions extends ShellOptions {
  /** Both streams are appended to this file, in the order they arrive. Neither it nor its folder may be a link. */
  readonly outputPath?: string;
  /** The most bytes to write to `outputPath`; the rest is counted and discarded. Default 64 MiB. */
  readonly maxOutputBytes?: number;
  /** Called with the output of each stream as it arrives; for the last time before the exit is reported. */
  onOutput?(stream: ShellStream, text: string): void;
}

/** A command that runs in the background. */
export interface ShellProcess {
  readonly pid: number;
  /** Sends a signal to the whole process tree. Default SIGTERM. */
  kill(signal?: NodeJS.Signals): void;
  /** Ends the whole process tree: SIGTERM, then SIGKILL after the grace time. Resolves when no process is left. */
  end(graceMs?: number): Promise<ShellExit>;
  /** Calls the listener once with the exit, even if the process has already ended. Returns a function that removes it. */
  onExit(listener: (exit: ShellExit) => void): () => void;
}

/**
 * The shell of tools. Tools start processes only through it.
 * It ends every process it started, with all descendants.
 */
export interface Shell {
  /** Runs a command line. A non-zero exit is a result; rejects only if it cannot start or is aborted. */
  exec(command: string, options?: ShellExecOptions): Promise<ShellResult>;
  /** Starts a command line and returns at once. */
  spawn(command: string, options?: ShellSpawnOptions): Promise<ShellProcess>;
}
