import type * as nodeFs from "node:fs/promises";
import type { FileDisk } from "./file-disk.ts";

/** Loaded on first use, as in `syncDisk`. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs/promises");

/** This machine's disk, called without blocking the event loop. */
export const asyncDisk: FileDisk = {
  open: (path, flags, mode) => fs().open(path, flags, mode),
  lstat: (path) => fs().lstat(path),
  readdir: (path) => fs().readdir(path, { withFileTypes: true }),
  rename: (from, to) => fs().rename(from, to),
  link: (existing, added) => fs().link(existing, added),
  unlink: (path) => fs().unlink(path),
};
