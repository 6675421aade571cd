import { Listeners } from "indusagi/core";
import type { Pins } from "../../deck/pins/index.ts";

/** Reviews prompts and instructions, and keeps the messages about withheld prompts. */
export interface PromptReview extends Pick<Pins, "reviewPrompts" | "reviewInstructions"> {
  /** The messages about the prompts of a server that the last review withheld, each with its remedy. */
  withheld(server: string): readonly string[];
  /** Calls the listener with the id of a server of which other prompts are withheld than before. */
  onWithheld(listener: (server: string) => void): () => void;
}

/** A review takes time for each prompt, so its result is kept for those who only want to know what is withheld. */
export function createPromptReview(pins: Pins): PromptReview {
  const messages = new Map<string, readonly string[]>();
  const changes = new Listeners<string>();
  return {
    reviewPrompts: (config, prompts) => {
      const review = pins.reviewPrompts(config, prompts);
      const now = [...review.withheld.values()];
      const before = messages.get(config.id) ?? [];
      messages.set(config.id, now);
      if (JSON.stringify(now) !== JSON.stringify(before)) changes.emit(config.id);
      return review;
    },
    reviewInstructions: (config, instructions) => pins.reviewInstructions(config, instructions),
    withheld: (server) => messages.get(server) ?? [],
    onWithheld: (listener) => changes.add(listener),
  };
}
