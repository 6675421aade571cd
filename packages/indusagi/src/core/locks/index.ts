export {
  type FileLock,
  type LockDisk,
  type LockPlace,
  type LockRefusal,
  type LockWaitOptions,
  tryFileLock,
  withFileLock,
} from "./file-lock.ts";
