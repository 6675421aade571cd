export type { OutputListener } from "./drain-output.ts";
export { TreeInputError } from "./input-queue.ts";
export type { ProcessTree, TreeEnd, TreeEndOptions, TreeExit, TreeOptions } from "./process-tree.ts";
export { type ProtectionLevel, protectionLevel } from "./protection-level.ts";
export { SpawnError } from "./spawn-error.ts";
export { startTree } from "./start-tree.ts";
