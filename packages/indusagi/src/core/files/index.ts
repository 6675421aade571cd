export { replaceFile, replaceFileSync, sweepTempFiles } from "./replace-file.ts";
