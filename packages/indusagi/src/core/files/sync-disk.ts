import type * as nodeFs from "node:fs";
import type { FileDisk, FileDiskHandle } from "./file-disk.ts";

/** Loaded on first use: importing it takes Node several milliseconds, because it brings the streams with it. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs");

/** This machine's disk, called synchronously. */
export const syncDisk: FileDisk = {
  open: (path, flags, mode) => syncHandle(fs().openSync(path, flags, mode)),
  lstat: (path) => fs().lstatSync(path),
  readdir: (path) => fs().readdirSync(path, { withFileTypes: true }),
  rename: (from, to) => fs().renameSync(from, to),
  link: (existing, added) => fs().linkSync(existing, added),
  unlink: (path) => fs().unlinkSync(path),
};

function syncHandle(fd: number): FileDiskHandle {
  return {
    stat: () => fs().fstatSync(fd),
    writeFile: (content) => fs().writeFileSync(fd, content),
    chmod: (mode) => fs().fchmodSync(fd, mode),
    chown: (uid, gid) => fs().fchownSync(fd, uid, gid),
    sync: () => fs().fsyncSync(fd),
    close: () => fs().closeSync(fd),
  };
}
