import type { ShellExit, ShellProcess } from "../contract/index.ts";

/** A command that runs in the background of a session. */
export interface Job {
  readonly id: string;
  readonly command: string;
  /** The file with its output. */
  readonly logPath: string;
  readonly process: ShellProcess;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** How and when it ended; absent while it runs. */
  ended?: { readonly exit: ShellExit; readonly atMs: number };
  /** How many bytes of the log the model has seen. */
  shownBytes: number;
  /** Settles when the last read of the log has ended. */
  lastReading: Promise<unknown>;
  /** Never rejects. */
  removeLog(): Promise<void>;
}
