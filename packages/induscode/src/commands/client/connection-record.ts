import { mkdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { PlainRow } from "indusagi/config";
import { contentHash, readPrivateText, replaceFileSync } from "indusagi/core";

/** A server that was moved from a client's file to ours. */
export interface MovedServer {
  /** Its name in the client's file, and its row there. */
  readonly name: string;
  readonly row: PlainRow;
  /** Its name in our file, and its row there. Absent if we had it before. */
  readonly as?: string;
  readonly ours?: PlainRow;
}

/** What `connect` did to one file, so that it can be taken back. */
export interface ConnectionRecord {
  readonly file: string;
  /** The copy of the file before we were in it. Null: there was no file. Absent: we were in it before. */
  readonly backup?: string | null;
  /** The hash of the text that we wrote. */
  readonly after: string;
  readonly moved: readonly MovedServer[];
  /** The file of ours that got the moved servers. */
  readonly ourFile?: string;
}

const FORMAT = 1;

export function textHash(text: string): string {
  return contentHash(text);
}

export function readRecord(root: string, file: string): ConnectionRecord | undefined {
  const reading = readPrivateText(recordPath(root, file));
  // Somebody else may have written it.
  if ("problem" in reading) return undefined;
  try {
    const { format, ...record } = JSON.parse(reading.text) as ConnectionRecord & {
      readonly format?: unknown;
    };
    return format === FORMAT && record.file === file && Array.isArray(record.moved) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Readable by the owner only: moved rows may contain tokens. */
export function writeRecord(root: string, record: ConnectionRecord): void {
  mkdirSync(join(root, "connections"), { recursive: true, mode: 0o700 });
  const content = Buffer.from(`${JSON.stringify({ format: FORMAT, ...record })}\n`);
  replaceFileSync({ path: recordPath(root, record.file), content, mode: 0o600 });
}

export function removeRecord(root: string, file: string): void {
  try {
    unlinkSync(recordPath(root, file));
  } catch {
    // There was none.
  }
}

function recordPath(root: string, file: string): string {
  return join(root, "connections", `${contentHash(file)}.json`);
}
