import { join } from "node:path";
import { errorCode } from "indusagi/core";
import { systemRefusal } from "../ledger-log-error.ts";
import { type LogDisk, localLogDisk } from "../log-disk.ts";

/** One segment in the folder of a ledger: the entries of one run. */
export interface LedgerSegment {
  /** A ULID, which contains the time at which the run started. */
  readonly id: string;
  readonly path: string;
}

const SEGMENT_NAME = /^([0-9A-HJKMNP-TV-Z]{26})\.log$/;

/** Whether a text has the form of a segment id, which is safe in a file name. */
export function isSegmentId(text: string): boolean {
  return SEGMENT_NAME.test(`${text}.log`);
}

/** The file of the segment with this id. */
export function segmentPath(folder: string, id: string): string {
  return join(folder, `${id}.log`);
}

/** The segments in a folder, the oldest run first. A missing folder has none. */
export async function listLedgerSegments(
  folder: string,
  { disk = localLogDisk }: { readonly disk?: LogDisk } = {},
): Promise<LedgerSegment[]> {
  try {
    const ids = (await disk.list(folder)).flatMap((name) => SEGMENT_NAME.exec(name)?.[1] ?? []);
    return ids.sort().map((id) => ({ id, path: segmentPath(folder, id) }));
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return [];
    throw systemRefusal(folder, "listed", cause);
  }
}
