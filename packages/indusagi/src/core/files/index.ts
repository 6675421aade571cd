export { asyncDisk, type Disk, type DiskHandle, type FileDisk } from "./disk.ts";
export { isInside, isRepository, type Roots, workTreeOf } from "./is-inside.ts";
export { type PrivateProblem, readPrivateFile, readPrivateText } from "./private-file.ts";
export {
  type AsyncReplacement,
  replaceFile,
  replaceFileAsync,
  replaceFileSync,
  type SyncReplacement,
  sweepTempFiles,
} from "./replace-file.ts";
export { isTempName, tempName } from "./temp-files.ts";
