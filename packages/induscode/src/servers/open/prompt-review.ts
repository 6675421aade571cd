import { Listeners } from "indusagi/core";
import {
  createRelay,
  type ExtensionKey,
  extensionKey,
  ProtocolFault,
  type Relay,
  type RelayListOptions,
  type RelayOptions,
  type ServerFleet,
  type ServerItems,
} from "indusagi/interop";
import type { Pins, ReviewedPrompts } from "../pins/index.ts";

/** Reviews prompts and instructions, and keeps the messages about withheld prompts. */
export interface PromptReview extends Pick<Pins, "reviewPrompts" | "reviewInstructions"> {
  /** The messages about the prompts of a server that the last review withheld, each with its remedy. */
  withheld(server: string): readonly string[];
  /** Calls the listener with the id of a server when its withheld prompts change. */
  onWithheld(listener: (server: string) => void): () => void;
}

/** Keeps the results, because reviewing takes time and some callers only ask what is withheld. */
export function createPromptReview(pins: Pins): PromptReview {
  const messages = new Map<string, Map<ExtensionKey, readonly string[]>>();
  const changes = new Listeners<string>();
  return {
    reviewPrompts: (config, prompts, isLive, extensions = "") => {
      const review = pins.reviewPrompts(config, prompts, isLive, extensions);
      const now = [...review.withheld.values()];
      const lists = messages.get(config.id) ?? new Map<ExtensionKey, readonly string[]>();
      const before = lists.get(extensions) ?? [];
      messages.set(config.id, lists.set(extensions, now));
      if (JSON.stringify(now) !== JSON.stringify(before)) changes.emit(config.id);
      return review;
    },
    reviewInstructions: (config, instructions, isLive) =>
      pins.reviewInstructions(config, instructions, isLive),
    withheld: (server) => [...new Set([...(messages.get(server)?.values() ?? [])].flat())],
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
  /** The reviews of each server's lists, by the extensions of the clients they are for. */
  const reviews = new Map<string, Map<ExtensionKey, ReviewedPrompts>>();
  const reviewed = (list: ServerItems, extensions: ExtensionKey): ServerItems => {
    const { server } = list;
    const config = fleet.endpoint(server)?.config;
    if (!config || list.fault) return list;
    const result = review.reviewPrompts(config, list.items, true, extensions);
    reviews.set(server, (reviews.get(server) ?? new Map()).set(extensions, result));
    return { ...list, items: result.offered, withheld: result.withheld };
  };
  const prompts = async (options: RelayListOptions = {}): Promise<readonly ServerItems[]> =>
    (await relay.list("prompts", options)).map((list) => reviewed(list, options.extensions ?? ""));
  const refuseWithheld = async (server: string, name: string, options: RelayOptions = {}): Promise<void> => {
    const declared = extensionKey(options.caller?.can.extensions);
    const extensions = fleet.endpoint(server)?.listedFor(declared) ?? "";
    if (!reviews.get(server)?.has(extensions)) await prompts({ ...options, extensions, servers: [server] });
    const lists = reviews.get(server) ?? new Map<ExtensionKey, ReviewedPrompts>();
    if (lists.get(extensions)?.offered.some((prompt) => prompt["name"] === name)) return;
    // A prompt that this client's list does not have may be withheld from others.
    const [message] = [...lists.values()].flatMap(({ withheld }) => withheld.get(name) ?? []);
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
