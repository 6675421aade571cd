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
import { checkRows } from "./check-rows.ts";
import { reconcileLedger } from "./reconcile-ledger.ts";

/** What became of `attachBridgeCapabilities`. */
export interface AttachResult {
  /** The ledger with the tools of the servers, or the one given if nothing was mounted. */
  readonly ledger: BridgeLedger;
  /** The servers. The caller ends them, with `detachBridge` or `tearDown`. Absent if nothing was mounted. */
  readonly fleet?: ServerFleet;
  /** The state of each server after the mount. A server that failed has its reason here, not in `fault`. */
  readonly status?: FleetStatus;
  /** The number of tools that were enrolled. */
  readonly enrolled: number;
  /** What is wrong with the configuration. The rows that are in order are mounted all the same. */
  readonly fault?: DeckFault;
}

/**
 * Mounts the servers of a configuration and enrolls their tools. Never rejects. What the ledger already had of these servers
 * is replaced; entries of other servers stay. The result is of one moment: `followBridgeBox` follows later changes.
 */
export async function attachBridgeCapabilities(
  ledger: BridgeLedger,
  config: BridgeConfig,
  options: BridgeOptions = {},
): Promise<AttachResult> {
  const { servers, fault } = checkRows(config);
  const carried = fault ? { fault } : {};
  if (servers.length === 0) return { ledger, enrolled: 0, ...carried };
  try {
    const { box, fleet } = await mountProtocolBridge({ ...config, servers }, options);
    const offered = bridgeBoxToCapabilities(box);
    const ids = new Set(servers.map(({ id }) => id));
    const after = reconcileLedger(ledger, offered, { at: isoTime(), servers: ids });
    return { ledger: after, fleet, status: fleet.status(), enrolled: offered.length, ...carried };
  } catch (cause) {
    // A failing server never causes this; an option that the fleet refuses does.
    const message = `the servers could not be mounted: ${describeError(cause)}`;
    return { ledger, enrolled: 0, fault: new DeckFault("bridge", message, { cause }) };
  }
}

/**
 * Withdraws servers from the ledger and ends them. With names: these, one by one. Without: all servers of the fleet, which is
 * torn down. Names that the fleet does not have are only withdrawn. Never rejects.
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
