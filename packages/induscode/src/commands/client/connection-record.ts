import { join } from "node:path";
import type { PlainRow } from "indusagi/config";
import { contentHash } from "indusagi/core";
import { type JsonFile, openJsonFile, valueOrNothing, versionedJson } from "../../state/index.ts";

/** A server that was moved from a client's file to ours. */
export interface MovedServer {
  /** Its name in the client's file, and its row there. */
  readonly name: string;
  readonly row: PlainRow;
  /** Its name in our file, and its row there. Absent if we had it before. */
  readonly as?: string;
  readonly ours?: PlainRow;
}

/** What `connect` did to one file, for `--undo`. */
export interface ConnectionRecord {
  readonly file: string;
  /** The copy of the file from before we connected. Null: there was no file. Absent: our row was there already. */
  readonly backup?: string | null;
  /** The hash of the text that we wrote. */
  readonly after: string;
  readonly moved: readonly MovedServer[];
  /** Our file that got the moved servers. */
  readonly ourFile?: string;
}

export function textHash(text: string): string {
  return contentHash(text);
}

/** Undefined also if the record is damaged or somebody else may have written it: then nothing can be undone. */
export function readConnection(root: string, file: string): ConnectionRecord | undefined {
  const record = valueOrNothing(recordFile(root, file).read());
  return record?.file === file ? record : undefined;
}

/** Readable by the owner only: moved rows may contain tokens. */
export function writeConnection(root: string, record: ConnectionRecord): void {
  recordFile(root, record.file).write(record);
}

export function removeConnection(root: string, file: string): void {
  try {
    recordFile(root, file).remove();
  } catch {
    // The next connect overwrites it.
  }
}

function recordFile(root: string, file: string): JsonFile<ConnectionRecord> {
  return openJsonFile(join(root, "connections", `${contentHash(file)}.json`), RECORD);
}

/** Whether something is said for the first time. It counts as said, unless that cannot be kept. */
export function isNews(root: string, hint: string): boolean {
  const file = openJsonFile(join(root, "hints.json"), HINTS);
  const said = valueOrNothing(file.read()) ?? [];
  if (said.includes(hint)) return false;
  try {
    file.write([...said, hint]);
  } catch {
    // It is said again.
  }
  return true;
}

const HINTS = versionedJson<readonly string[]>({
  format: 1,
  parse: (members) => (Array.isArray(members["said"]) ? members["said"].map(String) : undefined),
  members: (said) => ({ said }),
});

const RECORD = versionedJson<ConnectionRecord>({
  format: 1,
  parse: (members) =>
    Array.isArray(members["moved"]) ? (members as unknown as ConnectionRecord) : undefined,
  members: (record) => record,
});
