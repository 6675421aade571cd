export {
  type ProcessorUse,
  readProcessorUse,
  readProcRow,
  readTreeUse,
  readTreeWork,
  type TreeUse,
  type TreeWork,
} from "./members/proc-process-table.ts";
export type { ProcessRow } from "./members/process-identity.ts";
export type { ProcessTree, TreeEnd, TreeEndOptions, TreeExit, TreeOptions } from "./process-tree.ts";
export type { OutputListener } from "./start/process-streams.ts";
export { TreeInputError } from "./start/process-streams.ts";
export { SpawnError } from "./start/spawn-error.ts";
export { leaveWill, startTree } from "./start/start-tree.ts";
export { type ProtectionLevel, protectionLevel } from "./watchdog/protection-level.ts";
