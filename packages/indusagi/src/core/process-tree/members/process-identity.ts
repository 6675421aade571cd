/** Identifies a process for good: a pid is reused, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the unit of its process table. Only for comparison; 0 if it could not be read. */
  readonly startTime: number;
}

/** One row of the system's process table. */
export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** 0 if the table does not have it. */
  readonly session: number;
  /** `dead` is a zombie: it has ended, but its parent has not waited for it yet. */
  readonly state: "alive" | "stopped" | "dead";
}

/** Reads the system's processes. Throws if that is impossible (no file descriptors left), which is not the same as "none". */
export interface ProcessTable {
  /** All visible processes. */
  list(): ProcessRow[];
  /**
   * The same, with what an earlier call found about processes that are not new: enough to learn which have joined a tree, not to
   * say that one has ended. Absent if that is not faster.
   */
  listKnown?(): ProcessRow[];
  /** The start time of a process; `undefined` if there is none with this pid. */
  startTimeOf(pid: number): number | undefined;
  /**
   * The cookies in the environment that a process was started with. Empty if it has none or cannot be read; `undefined`
   * during exec, when a process has no environment.
   */
  cookiesOf(process: ProcessIdentity): string | undefined;
}

/** A tree that this process has to end. */
export interface TreeRecord {
  /** In the environment of every process of the tree, unless the process has removed it. */
  readonly cookie: string;
  /** The started process. It leads its own process group and session. */
  readonly root: ProcessIdentity;
  /** Pid and start time of members seen alive: they stay members after they leave group, parent and environment. */
  remembered: ReadonlyMap<number, number>;
  /** When the tree was started, on the monotonic clock. */
  readonly sinceMs: number;
  /** Whether the started process has exited. */
  rootExited: boolean;
}

/** The name of the environment variable that carries the cookie. */
export const COOKIE_NAME = "INDUS_TREE";
