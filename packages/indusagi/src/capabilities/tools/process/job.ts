import type { ShellExit, ShellProcess } from "../../contract/index.ts";

/** A command that runs beside the conversation. */
export interface Job {
  readonly id: string;
  readonly command: string;
  /** The file that takes its output. */
  readonly logPath: string;
  readonly process: ShellProcess;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** How and when it ended; absent while it runs. */
  ended?: { readonly exit: ShellExit; readonly atMs: number };
  /** Up to which byte of the log the model has been shown. */
  shownBytes: number;
  /** Settles when nobody reads the log. */
  lastReading: Promise<unknown>;
  /** Never rejects. */
  removeLog(): Promise<void>;
}
