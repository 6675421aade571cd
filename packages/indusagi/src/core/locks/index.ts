export {
  type FileLock,
  type LockPlace,
  type LockRefusal,
  type LockWaitOptions,
  tryFileLock,
  withFileLock,
} from "./file-lock.ts";
export type { LockDisk } from "./lock-disk.ts";
