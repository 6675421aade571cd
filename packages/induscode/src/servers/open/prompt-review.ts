import { Listeners } from "indusagi/core";
import {
  createRelay,
  ProtocolFault,
  type Relay,
  type RelayListOptions,
  type RelayOptions,
  type ServerFleet,
  type ServerItems,
} from "indusagi/interop";
import type { Pins } from "../pins/index.ts";

/** Reviews prompts and instructions, and keeps the messages about withheld prompts. */
export interface PromptReview extends Pick<Pins, "reviewPrompts" | "reviewInstructions"> {
  /** The messages about the prompts of a server that the last review withheld, each with its remedy. */
  withheld(server: string): readonly string[];
  /** Calls the listener with the id of a server when its withheld prompts change. */
  onWithheld(listener: (server: string) => void): () => void;
}

/** Keeps the results, because reviewing takes time and some callers only ask what is withheld. */
export function createPromptReview(pins: Pins): PromptReview {
  const messages = new Map<string, readonly string[]>();
  const changes = new Listeners<string>();
  return {
    reviewPrompts: (config, prompts, isLive) => {
      const review = pins.reviewPrompts(config, prompts, isLive);
      const now = [...review.withheld.values()];
      const before = messages.get(config.id) ?? [];
      messages.set(config.id, now);
      if (JSON.stringify(now) !== JSON.stringify(before)) changes.emit(config.id);
      return review;
    },
    reviewInstructions: (config, instructions, isLive) =>
      pins.reviewInstructions(config, instructions, isLive),
    withheld: (server) => messages.get(server) ?? [],
    onWithheld: (listener) => changes.add(listener),
  };
}

/**
 * What the servers of a fleet have besides tools, with the approved texts of prompts. Withheld prompts are neither listed nor
 * fetched.
 */
export function reviewedRelay(fleet: ServerFleet, review: PromptReview | undefined): Relay {
  const relay = createRelay(fleet);
  if (!review) return relay;
  /** The messages about withheld prompts, by server and name. Absent: not listed yet. */
  const withheld = new Map<string, ReadonlyMap<string, string>>();
  const reviewed = (list: ServerItems): ServerItems => {
    const config = fleet.endpoint(list.server)?.config;
    if (!config || list.fault) return list;
    const result = review.reviewPrompts(config, list.items);
    withheld.set(list.server, result.withheld);
    return { ...list, items: result.offered, withheld: result.withheld };
  };
  const prompts = async (options?: RelayListOptions): Promise<readonly ServerItems[]> =>
    (await relay.list("prompts", options)).map(reviewed);
  const refuseWithheld = async (server: string, name: string, options?: RelayOptions): Promise<void> => {
    if (!withheld.has(server)) await prompts({ ...options, servers: [server] });
    const message = withheld.get(server)?.get(name);
    if (message !== undefined) throw new ProtocolFault("protocol", message, { server, reason: "policy" });
  };
  return {
    ...relay,
    list: (kind, options) => (kind === "prompts" ? prompts(options) : relay.list(kind, options)),
    getPrompt: async (server, prompt, options) => {
      await refuseWithheld(server, prompt.name, options);
      return relay.getPrompt(server, prompt, options);
    },
  };
}
