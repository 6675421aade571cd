export { CheckpointingCard } from "./checkpointing-card.ts";
export { CHECKPOINTED_TOOLS, maybeWrapCheckpoint } from "./maybe-wrap-checkpoint.ts";
