import type { Disk } from "../../../core/files/index.ts";
import type { Roots } from "../../../core/index.ts";

export interface LocalFsOptions {
  /** Folders that may be read. Default `any`. */
  readonly read?: Roots;
  /** Folders that may be written to. Default `any`. */
  readonly write?: Roots;
  /** The system calls to use. Default: Node's. */
  readonly disk?: Disk;
  /** Temporary files of dead processes are removed once they are this old. Default one minute. */
  readonly sweepAfterMs?: number;
}
