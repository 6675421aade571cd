import type { ServerConfig } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import type { Run } from "../../boot/internal.ts";
import { bridgeCapabilityCard } from "../../deck/attach/index.ts";
import type { CapabilityCard } from "../../deck/contract/index.ts";
import { bridgeBoxToCapabilities } from "../../deck/ledger/index.ts";
import { lastKnownTools } from "./mount-servers.ts";
import { openServers } from "./open-servers.ts";

/** A mounted tool as a row of the catalog. */
interface MountedCard extends Pick<CapabilityCard, "id" | "title" | "summary"> {
  readonly descriptor: ToolDescriptor;
}

export interface LastKnownCards {
  /** In configuration order. */
  readonly cards: readonly MountedCard[];
  /** The servers that may be started but whose tools are not known. */
  readonly unlisted: readonly string[];
}

/**
 * The tools that servers offered when they were last listed, under the names that a mount gives them. The servers are lazy, so
 * they do not start: nothing calls them.
 */
export async function lastKnownCards(run: Run, servers: readonly ServerConfig[]): Promise<LastKnownCards> {
  const usable = servers.filter(({ enabled = true, pending = false }) => enabled && !pending);
  const memory = await run.state.memory();
  const listed = usable.filter((server) => lastKnownTools(server, memory));
  const unlisted = usable.filter((server) => !listed.includes(server)).map(({ id }) => id);
  if (listed.length === 0) return { cards: [], unlisted };
  const mounted = await openServers(run, {
    servers: listed,
    supervision: { lazy: true },
    offerLastKnown: true,
  });
  await mounted.begun;
  const cards = bridgeBoxToCapabilities(mounted.box).map((capability) => {
    const { id, title, summary } = bridgeCapabilityCard(capability);
    return { id, title, summary, descriptor: capability.descriptor };
  });
  return { cards, unlisted };
}
