import type { Dirent, Stats } from "node:fs";
import type { FsDirEntry, FsEntryInfo } from "../../contract/index.ts";

export function entryInfo(stats: Stats): FsEntryInfo {
  return {
    isFile: stats.isFile(),
    isDirectory: stats.isDirectory(),
    isSymlink: stats.isSymbolicLink(),
    size: stats.size,
    modifiedMs: stats.mtimeMs,
    mode: stats.mode & 0o7777,
    links: stats.nlink,
    // With the creation time, because the inode of a deleted file is reused soon.
    identity: `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`,
  };
}

export function dirEntry(entry: Dirent): FsDirEntry {
  return { name: entry.name, kind: entryKind(entry) };
}

function entryKind(entry: Dirent): FsDirEntry["kind"] {
  if (entry.isSymbolicLink()) return "symlink";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "other";
}

/** Whether two stats show the same content, as far as they can show. */
export function isSameVersion(a: FsEntryInfo, b: FsEntryInfo): boolean {
  return a.identity === b.identity && a.size === b.size && a.modifiedMs === b.modifiedMs;
}
