export type { Disk, DiskHandle } from "../../core/files/index.ts";
export type { Roots } from "../../core/index.ts";
export type { LocalFsOptions } from "./files/confined-fs.ts";
export { holdFolder, isLocalFs, localFs } from "./files/local-fs.ts";
export type { HeldFolder } from "./files/open-held-folder.ts";
export {
  createReadState,
  type LocalContext,
  type LocalContextOptions,
  makeLocalContext,
} from "./local-context.ts";
export type { LocalShellOptions } from "./shell/launch-shell.ts";
export { localShell } from "./shell/local-shell.ts";
export { unavailableFs, unavailableShell } from "./unavailable.ts";
