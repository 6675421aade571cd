import type { FileMark, PathMark } from "../file-mark.ts";

/** One change of a rewind, as written to the log before anything is changed. */
export interface RewindStep {
  /** Absolute and real. */
  readonly path: string;
  /** The state that the path had when the rewind was planned. */
  readonly from: PathMark;
  /** The state that it gets. */
  readonly to: FileMark | "absent";
  /** The name, in the same folder, of the new file until it takes its place. */
  readonly temp?: string;
  /** The name, in the same folder, of the old file until the rewind has ended. */
  readonly old?: string;
}
