import { existsSync } from "node:fs";
import { asyncDisk, type Disk } from "../../../core/files/index.ts";

/** This machine's disk, with paths for descriptors where the system has them. */
export const nodeDisk: Disk = {
  ...asyncDisk,
  // macOS (untested) and Windows (run under Wine only) have no such paths.
  ...(process.platform === "linux" && existsSync("/proc/self/fd")
    ? { fdPath: (fd: number) => `/proc/self/fd/${fd}` }
    : {}),
};
