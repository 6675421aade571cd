export type { Disk, DiskHandle } from "./files/disk.ts";
export { isLocalFs, localFs } from "./files/local-fs.ts";
export type { LocalFsOptions } from "./files/local-fs-options.ts";
export type { Roots } from "./files/roots.ts";
export { type LocalContext, type LocalContextOptions, makeLocalContext } from "./local-context.ts";
export { createReadState } from "./read-state.ts";
export { localShell } from "./shell/local-shell.ts";
export type { LocalShellOptions } from "./shell/local-shell-options.ts";
export { unavailableFs, unavailableShell } from "./unavailable.ts";
