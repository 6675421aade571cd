import type { ProcessIdentity } from "./process-identity.ts";

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
