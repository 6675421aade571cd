import { join } from "node:path";
import { errorCode } from "indusagi/core";
import { localLogDisk } from "../disk/local-log-disk.ts";
import type { LogDisk } from "../disk/log-disk.ts";
import { systemRefusal } from "../ledger-log-error.ts";

/** One segment of a ledger's folder: what one run has written. */
export interface LedgerSegment {
  /** Its ULID, which says when the run began. */
  readonly id: string;
  readonly path: string;
}

const SEGMENT_NAME = /^([0-9A-HJKMNP-TV-Z]{26})\.log$/;

/** Whether a text is an id of a segment, and so fit to be part of a file's name. */
export function isSegmentId(text: string): boolean {
  return SEGMENT_NAME.test(`${text}.log`);
}

/** Where the segment of this id is kept. */
export function segmentPath(folder: string, id: string): string {
  return join(folder, `${id}.log`);
}

/** Every segment in a folder, the oldest run first. A folder that is not there has none. */
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
