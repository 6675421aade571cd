import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { contentHash } from "indusagi/core";

/** The servers whose logs are kept; beyond it the ones that were not written for the longest time are removed. */
const MAX_LOGS = 100;

const MAX_SLUG_CHARS = 40;
const HASH_CHARS = 16;
const NAME = /^[a-z0-9-]+-[0-9a-f]{16}\.log$/;
/** A full file gets this ending, and replaces the one before. */
const OLDER = ".1";

/** The log of a server: readable, and different for each name. */
export function logPath(folder: string, server: string): string {
  const slug = server
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_CHARS)
    .replaceAll(/^-+|-+$/g, "");
  return join(folder, `${slug || "server"}-${contentHash(server).slice(0, HASH_CHARS)}.log`);
}

/** The paths of all logs in a folder. None if it does not exist. */
export function logPaths(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/**
 * Appends lines. A file that would pass the limit is put aside first, so that a server's log never needs more than twice the
 * limit. Two processes that do so at the same moment lose older lines, never new ones. Throws if it cannot be written.
 */
export function appendLines(path: string, lines: string, maxBytes: number): void {
  const bytes = Buffer.from(lines);
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (size > 0 && size + bytes.length > maxBytes) renameSync(path, `${path}${OLDER}`);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  // Windows has no O_NOFOLLOW; `|` takes undefined as 0.
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeSync(file, bytes.subarray(-maxBytes));
  } finally {
    closeSync(file);
  }
}

/** The text of a log, with the file that was put aside before it. Empty if there is none. */
export function readLog(path: string): string {
  return readFrom(`${path}${OLDER}`, 0).text + readFrom(path, 0).text;
}

/** Where a reader is in a log that grows. */
export interface LogPlace {
  readonly inode: number;
  readonly offset: number;
}

/** The end of a log. */
export function endOf(path: string): LogPlace {
  const found = statSync(path, { throwIfNoEntry: false });
  return { inode: found?.ino ?? 0, offset: found?.size ?? 0 };
}

/** The text after a place, also if the file was put aside since, and the new end. */
export function readSince(
  path: string,
  place: LogPlace,
): { readonly text: string; readonly place: LogPlace } {
  const found = endOf(path);
  if (found.inode === place.inode) {
    const { text, bytes } = readFrom(path, place.offset);
    return { text, place: { inode: place.inode, offset: place.offset + bytes } };
  }
  const wasPutAside = endOf(`${path}${OLDER}`).inode === place.inode;
  const rest = wasPutAside ? readFrom(`${path}${OLDER}`, place.offset).text : "";
  const { text, bytes } = readFrom(path, 0);
  return { text: rest + text, place: { inode: found.inode, offset: bytes } };
}

/** Whole lines only: the writer of the last one may not be done. Never follows a link, never waits for a pipe. */
function readFrom(path: string, offset: number): { readonly text: string; readonly bytes: number } {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(file);
    const wanted = Buffer.alloc(found.isFile() ? Math.max(0, found.size - offset) : 0);
    const read = wanted.subarray(0, readSync(file, wanted, { position: offset }));
    const bytes = read.lastIndexOf("\n") + 1;
    return { text: read.toString("utf8", 0, bytes), bytes };
  } catch {
    return { text: "", bytes: 0 };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes the oldest logs beyond `MAX_LOGS`. Never fails: another process may remove them at the same time. */
export function pruneLogs(folder: string, keep: number = MAX_LOGS): void {
  const paths = logPaths(folder);
  if (paths.length <= keep) return;
  const files = paths.map((path) => ({
    path,
    writtenMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  files.sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { path } of files.slice(keep))
    for (const file of [path, `${path}${OLDER}`]) {
      try {
        unlinkSync(file);
      } catch {
        // See above.
      }
    }
}
