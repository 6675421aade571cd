/** A process as nobody else can ever be it: numbers are used again, a number with its start time is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the unit of the table it was read from. Only to be compared; 0 when it could not be read. */
  readonly startTime: number;
}

/** One line of the system's process table. */
export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** 0 where the table does not tell. */
  readonly session: number;
  /** `dead` is a zombie: it runs nothing and holds nothing, somebody only has to take note of its end. */
  readonly state: "alive" | "stopped" | "dead";
}

/** Where processes are read from. Throws when it cannot be read at all (no file descriptors left): that is not "none". */
export interface ProcessTable {
  /** Every process that can be seen. */
  list(): ProcessRow[];
  /** When this process started; `undefined` when there is none of that number. */
  startTimeOf(pid: number): number | undefined;
  /**
   * Whether the environment a process was started with holds this text. False where that cannot be read;
   * `undefined` while the process is between two programs and has none.
   */
  environmentHolds(pid: number, text: string): boolean | undefined;
}
