import { describeError, isoTime } from "indusagi/core";
import {
  type BridgeConfig,
  type BridgeOptions,
  type FleetStatus,
  mountProtocolBridge,
  type ServerFleet,
} from "indusagi/interop";
import { DeckFault } from "../contract/index.ts";
import { type BridgeLedger, bridgeBoxToCapabilities } from "../ledger/index.ts";
import { reconcileLedger } from "./reconcile-ledger.ts";

/** The result of `attachBridgeCapabilities`. */
export interface AttachResult {
  /** The ledger with the tools of the servers, or the one given if nothing was mounted. */
  readonly ledger: BridgeLedger;
  /** The running servers. The caller closes them with `detachBridge` or `tearDown`. Absent if nothing was mounted. */
  readonly fleet?: ServerFleet;
  /** The state of each server after the mount. A server that failed has its reason here, not in `fault`. */
  readonly status?: FleetStatus;
  /** The number of tools that were enrolled. */
  readonly enrolled: number;
  /** Problems with the configuration; `status` has them per server. Valid rows are mounted anyway. */
  readonly fault?: DeckFault;
}

/**
 * Mounts the configured servers and enrolls their tools, replacing the ledger's entries for these servers and keeping all
 * others. Never rejects. A snapshot: `followBridgeBox` follows later changes.
 */
export async function attachBridgeCapabilities(
  ledger: BridgeLedger,
  config: BridgeConfig,
  options: BridgeOptions = {},
): Promise<AttachResult> {
  if (Array.isArray(config?.servers) && config.servers.length === 0) return { ledger, enrolled: 0 };
  try {
    const { box, fleet } = await mountProtocolBridge(config, options);
    const offered = bridgeBoxToCapabilities(box);
    const status = fleet.status();
    const after = reconcileLedger(ledger, offered, { at: isoTime(), servers: new Set(status.keys()) });
    const wrong = [...status.values()].filter(({ fault }) => fault?.reason === "unsupported");
    const message = `not mounted: ${wrong.map(({ summary }) => summary).join("; ")}`;
    return {
      ledger: after,
      fleet,
      status,
      enrolled: offered.length,
      ...(wrong.length > 0 && { fault: new DeckFault("bridge", message) }),
    };
  } catch (cause) {
    // Caused by an option that the fleet rejects, never by a failing server.
    const message = `the servers could not be mounted: ${describeError(cause)}`;
    return { ledger, enrolled: 0, fault: new DeckFault("bridge", message, { cause }) };
  }
}

/**
 * Withdraws servers from the ledger and stops them: the named ones one by one, or by default all, tearing down the fleet.
 * Names that the fleet does not have are only withdrawn. Never rejects.
 */
export async function detachBridge(
  ledger: BridgeLedger,
  fleet: ServerFleet,
  names?: readonly string[],
): Promise<BridgeLedger> {
  const at = isoTime();
  const leaving = names ?? [...fleet.status().keys()];
  const after = leaving.reduce((next, server) => next.withdrawServer(server, at), ledger);
  if (names) for (const server of names) await fleet.removeServer(server);
  else await fleet.tearDown();
  return after;
}
