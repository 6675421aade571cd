import type { ToolBox } from "../../runtime/index.ts";
import { NATIVE_NAMES } from "../../runtime/internal.ts";
import type { BridgeConfig, ServerFleet } from "../contract/index.ts";
import { type FleetOptions, startServerFleet } from "../fleet/index.ts";
import { bridgeBox } from "./bridge-box.ts";

export interface BridgeOptions extends FleetOptions {
  /** Called for each tool that cannot be offered, with the reason. */
  readonly report?: (message: string) => void;
}

/** The tools of all servers as one box, and their fleet. The caller must tear the fleet down. */
export interface MountedProtocolBridge {
  readonly box: ToolBox;
  readonly fleet: ServerFleet;
}

/** Connects to every server of a configuration and offers their tools as one box. Never rejects for a bad server. */
export async function mountProtocolBridge(
  config: BridgeConfig,
  options: BridgeOptions = {},
): Promise<MountedProtocolBridge> {
  const fleet = await startServerFleet(config, options);
  const reserved = new Set<string>(NATIVE_NAMES);
  const box = bridgeBox(fleet, { reserved, ...(options.report ? { report: options.report } : {}) });
  return { box, fleet };
}
