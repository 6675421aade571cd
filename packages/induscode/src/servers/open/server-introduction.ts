import { isUsablePhase, type ServerConfig, type ServerFleet, type ServerListing } from "indusagi/interop";
import type { ServerMemory } from "../memory/server-memory.ts";
import type { Pins } from "../pins/index.ts";

/** How a server presents itself to its clients. */
export type ServerIntroduction = Pick<ServerListing, "serverInfo" | "capabilities" | "instructions">;

export interface IntroductionSources {
  readonly memory: ServerMemory | undefined;
  readonly pins: Pins | undefined;
  /** The rows as they are used now. */
  readonly configs: () => readonly ServerConfig[];
}

/**
 * Returns what a server said when it connected or, if it is not running, when it was last listed; undefined if it never
 * connected. Instructions are the approved ones.
 */
export function serverIntroductions(
  fleet: ServerFleet,
  { memory, pins, configs }: IntroductionSources,
): (server: string) => ServerIntroduction | undefined {
  // Cached: without sessions, each request asks for it.
  let known = new WeakMap<object, ServerIntroduction>();
  pins?.onChange(() => (known = new WeakMap()));
  return (server) => {
    const endpoint = fleet.endpoint(server);
    // The fleet is empty before the servers are started.
    const config = endpoint?.config ?? configs().find(({ id }) => id === server);
    if (!config) return undefined;
    const isConnected = endpoint !== undefined && isUsablePhase(endpoint.phase);
    const said = isConnected ? endpoint.session() : memory?.head(config)?.listing;
    if (!said) return undefined;
    const introduction =
      known.get(said) ??
      introductionOf(said, (text) => (pins ? pins.reviewInstructions(config, text, isConnected) : text));
    known.set(said, introduction);
    return introduction;
  };
}

function introductionOf(
  { serverInfo, capabilities, instructions: said }: ServerIntroduction,
  review: (instructions: string) => string | undefined,
): ServerIntroduction {
  const instructions = said === undefined ? undefined : review(said);
  return {
    capabilities,
    ...(serverInfo && { serverInfo }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}
