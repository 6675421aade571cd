import { lstatSync, readdirSync, readFileSync, readSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type PrivateProblem, readPrivateFile } from "indusagi/core";

/** The largest file that is read or written. The largest listing of a real server is a tenth of it. */
export const MAX_ENTRY_BYTES: number = 8 * 1024 * 1024;
/** The files that are kept; beyond it the ones that were not written for the longest time are removed. */
export const MAX_ENTRIES = 500;

const NAME = /^[0-9a-f]{32}\.json$/;

export function entryPath(folder: string, launch: string): string {
  return join(folder, `${launch}.json`);
}

export type EntryReading = { readonly text: string } | PrivateProblem;

/** The first line of nearly every file fits into it. */
const HEAD_BYTES = 16 * 1024;

/**
 * The text of a file, or why there is none, such as that it belongs to another user. `part`: with `first-line`, only that,
 * without its end.
 */
export function readEntryFile(path: string, part: "all" | "first-line" = "all"): EntryReading {
  return readPrivateFile(path, (handle, { size }) => {
    if (size > MAX_ENTRY_BYTES) return { problem: "is too large" };
    return { text: part === "all" ? readFileSync(handle, "utf8") : firstLine(handle, size) };
  });
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
    const { mtimeMs } = lstatSync(path);
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
