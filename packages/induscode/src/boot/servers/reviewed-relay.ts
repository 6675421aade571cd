import {
  createRelay,
  ProtocolFault,
  type Relay,
  type RelayListOptions,
  type RelayOptions,
  type ServerFleet,
  type ServerItems,
} from "indusagi/interop";
import type { Pins } from "../../deck/pins/index.ts";

/**
 * What the servers of a fleet have beside their tools, with the approved texts of prompts. A withheld prompt is neither listed
 * nor fetched.
 */
export function reviewedRelay(fleet: ServerFleet, pins: Pick<Pins, "reviewPrompts"> | undefined): Relay {
  const relay = createRelay(fleet);
  if (!pins) return relay;
  /** The messages of withheld prompts, by server and name. Absent: the prompts of the server were not listed yet. */
  const withheld = new Map<string, ReadonlyMap<string, string>>();
  const reviewed = (list: ServerItems): ServerItems => {
    const config = fleet.endpoint(list.server)?.config;
    if (!config || list.fault) return list;
    const review = pins.reviewPrompts(config, list.items);
    withheld.set(list.server, review.withheld);
    return { ...list, items: review.offered, withheld: review.withheld };
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
