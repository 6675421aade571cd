export { replaceFile, replaceFileSync, type SyncReplacement, sweepTempFiles } from "./replace-file.ts";
