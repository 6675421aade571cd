import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "indusagi/core";

/** The largest file that is read or written. The largest listing of a real server is a tenth of it. */
export const MAX_ENTRY_BYTES: number = 8 * 1024 * 1024;
/** The files that are kept; beyond it the ones that were not written for the longest time are removed. */
export const MAX_ENTRIES = 500;

const NAME = /^[0-9a-f]{32}\.json$/;

export function entryPath(folder: string, launch: string): string {
  return join(folder, `${launch}.json`);
}

export type EntryReading =
  | { readonly text: string }
  | { readonly problem: string; readonly isAbsent: boolean };

/** The first line of nearly every file fits into it. */
const HEAD_BYTES = 16 * 1024;

/**
 * The text of a file, or why there is none. Never follows a link, never waits for a pipe. `part`: with `first-line`, only that,
 * without its end.
 */
export function readEntryFile(path: string, part: "all" | "first-line" = "all"): EntryReading {
  let handle: number | undefined;
  try {
    // Windows has neither flag; `|` takes undefined as 0.
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(handle);
    if (!found.isFile()) return { problem: "it is not a regular file", isAbsent: false };
    if (found.size > MAX_ENTRY_BYTES) return { problem: "it is too large", isAbsent: false };
    return { text: part === "all" ? readFileSync(handle, "utf8") : firstLine(handle, found.size) };
  } catch (thrown) {
    const code = errorCode(thrown) ?? "unknown error";
    return { problem: `it cannot be read (${code})`, isAbsent: code === "ENOENT" };
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function firstLine(handle: number, size: number): string {
  const bytes = Buffer.alloc(Math.min(size, HEAD_BYTES));
  const read = bytes.subarray(0, readSync(handle, bytes, { position: 0 }));
  const end = read.indexOf("\n");
  if (end >= 0) return read.toString("utf8", 0, end);
  const all = Buffer.alloc(size);
  const [line = ""] = all.toString("utf8", 0, readSync(handle, all, { position: 0 })).split("\n", 1);
  return line;
}

/** A sign that changes when a file is replaced, and its size; `""` if there is none. Never throws. */
export function entryStamp(path: string): { readonly stamp: string; readonly size: number } {
  try {
    const { ino, ctimeMs, mtimeMs, size } = lstatSync(path);
    return { stamp: `${ino}-${ctimeMs}-${mtimeMs}-${size}`, size };
  } catch {
    return { stamp: "", size: 0 };
  }
}

/** How old a file in use may look. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Keeps a file whose content is still right from being removed as the oldest. False if it must be written again. */
export function keepEntryFile(path: string): boolean {
  try {
    const now = new Date();
    const { mtimeMs, mode } = statSync(path);
    // Windows has no modes of this kind.
    if (process.platform !== "win32" && (mode & 0o077) !== 0) return false;
    if (now.getTime() - mtimeMs > MAX_AGE_MS) utimesSync(path, now, now);
    return true;
  } catch {
    return false;
  }
}

/** Removes the oldest files beyond `MAX_ENTRIES`. Never fails: another process may remove them at the same time. */
export function pruneEntries(folder: string, keep: number = MAX_ENTRIES): void {
  try {
    const names = readdirSync(folder).filter((name) => NAME.test(name));
    if (names.length <= keep) return;
    const files = names.map((name) => ({
      path: join(folder, name),
      writtenMs: writtenMs(join(folder, name)),
    }));
    files.sort((a, b) => b.writtenMs - a.writtenMs);
    for (const { path } of files.slice(keep)) unlinkSync(path);
  } catch {
    // See above.
  }
}

function writtenMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
