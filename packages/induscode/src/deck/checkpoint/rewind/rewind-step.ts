import { dirname } from "node:path";
import { type EntryMark, isFolder, type PathMark } from "../file-mark.ts";

/**
 * One change of a rewind, as written to the log before anything is changed. A folder appears or disappears in a step of its
 * own: a file that becomes a folder takes two. From a folder to the same folder: it is read-only, and is open for writing
 * while the rewind runs.
 */
export interface RewindStep {
  /** Absolute and real. */
  readonly path: string;
  /** The state that the path had when the rewind was planned. */
  readonly from: PathMark;
  /** The state that it gets. */
  readonly to: EntryMark | "absent";
  /** The folder of `temp` and `old`, if it is not that of the path: one that is there before, during and after the rewind. */
  readonly room?: string;
  /** The name of the new file until it takes its place. */
  readonly temp?: string;
  /** The name of the old file until the rewind has ended. */
  readonly old?: string;
}

/** The bits that changing something in a folder needs. */
const OPEN = 0o700;

export const openMode = (mode: number): number => mode | OPEN;

export const isOpening = ({ from, to }: Pick<RewindStep, "from" | "to">): boolean =>
  isFolder(from) && to !== "absent" && isFolder(to);

export const roomOf = ({ path, room = dirname(path) }: RewindStep): string => room;
