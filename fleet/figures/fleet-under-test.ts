import type { Scratch } from "../scratch.ts";
import type { FleetServer } from "../server-list.ts";

/** Everything the figures need to know. */
export interface FleetUnderTest {
  readonly servers: readonly FleetServer[];
  readonly scratch: Scratch;
  /** Marks the servers' processes. */
  readonly mark: string;
  /** The configuration file with all servers. */
  readonly file: string;
  /** The file that starts `indus`. */
  readonly indus: string;
  /** The script that measures `indus` from inside. */
  readonly probe: string;
  /** The number of tools of all mounted servers together. */
  readonly toolCount: number;
  readonly print: (line: string) => void;
}
