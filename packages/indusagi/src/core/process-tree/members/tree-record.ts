import type { ProcessIdentity } from "./process-identity.ts";

/** What is known of a tree that is ours to end. */
export interface TreeRecord {
  /** Found in the environment of every process of the tree that has not taken it out. */
  readonly cookie: string;
  /** The process that was started. It leads the tree's own process group and session. */
  readonly root: ProcessIdentity;
  /** Members seen alive, by number, with their start time: still ours once they leave group, parent and environment. */
  remembered: ReadonlyMap<number, number>;
  /** When it was started, on the monotonic clock. */
  readonly sinceMs: number;
  /** The process that was started has ended. */
  rootExited: boolean;
}

/** The name of the environment variable that carries the cookie. */
export const COOKIE_NAME = "INDUS_TREE";
