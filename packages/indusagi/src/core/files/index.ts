export { isInside, type Roots } from "./is-inside.ts";
export { replaceFile, replaceFileSync, type SyncReplacement, sweepTempFiles } from "./replace-file.ts";
export { tempName } from "./temp-files.ts";
