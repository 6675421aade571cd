import type { Capability, DeckContext } from "../contract/index.ts";
import { CheckpointingCard } from "./checkpointing-card.ts";

/** The tools whose changes can be undone. Not `bash`: what a command changes is unknown. */
export const CHECKPOINTED_TOOLS: readonly string[] = Object.freeze(["write", "edit"]);

/** Wraps `write` and `edit` if the context has a checkpoint store. Returns any other capability unchanged. */
export function maybeWrapCheckpoint(
  capability: Capability,
  { framework: { checkpoint } }: Pick<DeckContext, "framework">,
): Capability {
  if (!checkpoint || !CHECKPOINTED_TOOLS.includes(capability.name)) return capability;
  return new CheckpointingCard(capability, checkpoint);
}
