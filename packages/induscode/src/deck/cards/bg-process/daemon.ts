import type { Framework, ShellExit, ShellProcess, ShellStream } from "indusagi/capabilities";
import type { LineCursor, LineRing } from "./line-ring.ts";

/** The output of one stream of a job. */
export interface DaemonStream {
  readonly lines: LineRing;
  /** How far the last poll has read. */
  shown: LineCursor;
}

/** A command that runs in the background of a session. */
export interface Daemon {
  readonly id: string;
  readonly command: string;
  /** Has the whole output of both streams. */
  readonly logPath: string;
  readonly process: ShellProcess;
  /** On the monotonic clock. */
  readonly startedMs: number;
  readonly streams: { readonly [stream in ShellStream]: DaemonStream };
  /** The session that it ends with. */
  readonly owner: Framework;
  /** How and when it ended; absent while it runs. */
  ended?: { readonly exit: ShellExit; readonly atMs: number };
  /** Never rejects. */
  removeLog(): Promise<void>;
}
