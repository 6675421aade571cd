export { CheckpointError, type CheckpointErrorKind } from "./checkpoint-error.ts";
export { CHECKPOINTED_TOOLS, CheckpointingCard, maybeWrapCheckpoint } from "./checkpointing-card.ts";
export {
  type CheckpointNode,
  type DiskCheckpointStore,
  type KeptWorkspace,
  type RewindOptions,
  type RewindReport,
} from "./disk-checkpoint-store.ts";
export { type CheckpointStoreOptions, openCheckpointStore } from "./open-checkpoint-store.ts";
export type { RewindConflict, SkippedPath } from "./rewind/plan-rewind.ts";
export type { RecoveredRewind } from "./rewind/recover-rewind.ts";
export type { SkipReason } from "./rewind/workspace.ts";
export {
  type CheckpointDisk,
  type DiskEntry,
  type FileOwner,
  localCheckpointDisk,
  type WorkFile,
} from "./store/checkpoint-disk.ts";
export type { FailedRecovery, Recovery } from "./store/maintain-store.ts";
