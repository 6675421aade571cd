import type { ToolBox } from "../../runtime/index.ts";
import { NATIVE_NAMES } from "../../runtime/internal.ts";
import type { BridgeConfig, ExtensionKey, ServerFleet } from "../contract/index.ts";
import { type FleetOptions, ServerFleetImpl } from "../fleet/index.ts";
import { bridgeBox } from "./bridge-box.ts";

export interface BridgeOptions extends FleetOptions {
  /** Called with one line for each tool that cannot be offered and each server that is refused or not approved. */
  readonly report?: (message: string) => void;
}

/** The tools of all servers as one box, and their fleet. The caller must tear the fleet down. */
export interface MountedProtocolBridge {
  readonly box: ToolBox;
  readonly fleet: ServerFleet;
  /**
   * The tools that differ for clients with these extensions, see `withVariants`. From the first call on, the servers that declare
   * one of them are asked for a list for such clients. The box is made once.
   */
  variants(extensions: ExtensionKey): ToolBox;
}

/** Connects to every server of a configuration and offers their tools as one box. Never rejects for a bad server. */
export async function mountProtocolBridge(
  config: BridgeConfig,
  options: BridgeOptions = {},
): Promise<MountedProtocolBridge> {
  const { report } = options;
  const fleet = new ServerFleetImpl(options);
  if (report)
    fleet.onStatus(({ fault, summary }) => {
      if (isRefused(fault?.reason) && summary) report(summary);
    });
  await fleet.start(config);
  const mounting = { reserved: new Set<string>(NATIVE_NAMES), report };
  const variants = new Map<ExtensionKey, ToolBox>();
  return {
    box: bridgeBox(fleet, mounting),
    fleet,
    variants: (extensions) => {
      const box = variants.get(extensions) ?? bridgeBox(fleet, { ...mounting, extensions });
      variants.set(extensions, box);
      return box;
    },
  };
}

/** Such servers are never started, so nothing else would say why their tools are missing. */
function isRefused(reason: string | undefined): boolean {
  return reason === "unsupported" || reason === "untrusted";
}
