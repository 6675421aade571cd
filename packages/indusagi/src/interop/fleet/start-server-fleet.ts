import type { BridgeConfig } from "../contract/index.ts";
import type { FleetOptions } from "./fleet-options.ts";
import { ServerFleetImpl } from "./server-fleet.ts";

/** A fleet whose servers have all been tried, or for as long as `waitMs` says. */
export async function startServerFleet(
  config: BridgeConfig,
  options: FleetOptions = {},
): Promise<ServerFleetImpl> {
  const fleet = new ServerFleetImpl(options);
  await fleet.start(config);
  return fleet;
}
