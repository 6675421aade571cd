import { dirname } from "node:path";
import { type EntryMark, isFolderMark, type PathMark } from "../file-mark.ts";

/**
 * One change of a rewind, logged before anything is changed. Creating or removing a folder is a separate step, so turning a
 * file into a folder takes two. A step from a folder to the same folder makes a read-only folder writable while the rewind
 * runs.
 */
export interface RewindStep {
  /** Absolute and real. */
  readonly path: string;
  /** The state of the path when the rewind was planned. */
  readonly from: PathMark;
  /** The target state. */
  readonly to: EntryMark | "absent";
  /** The folder of `temp` and `old`, if not that of the path: one that exists before, during and after the rewind. */
  readonly room?: string;
  /** The name of the new file until it takes its place. */
  readonly temp?: string;
  /** The name of the old file until the rewind has ended. */
  readonly old?: string;
}

/** The permissions needed to change a folder's contents. */
const OPEN = 0o700;

export const openMode = (mode: number): number => mode | OPEN;

export const opensFolder = ({ from, to }: Pick<RewindStep, "from" | "to">): boolean =>
  isFolderMark(from) && to !== "absent" && isFolderMark(to);

export const roomOf = ({ path, room = dirname(path) }: RewindStep): string => room;
