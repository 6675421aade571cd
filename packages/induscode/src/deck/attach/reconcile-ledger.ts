import { CoreError } from "indusagi/core";
import {
  type BridgeCapability,
  type BridgeKey,
  type BridgeLedger,
  bridgeUlidKey,
  descriptorKey,
  serverOfQualified,
} from "../ledger/index.ts";

export interface ReconcileOptions {
  /** The time of the events, as ISO 8601. */
  readonly at: string;
  /** Retires only capabilities of these servers. Default: of all. */
  readonly servers?: ReadonlySet<string>;
}

/**
 * Makes the offered capabilities the live ones with as few events as possible. The same object means unchanged. Returns the
 * same ledger if nothing differs.
 */
export function reconcileLedger(
  ledger: BridgeLedger,
  offered: readonly BridgeCapability[],
  { at, servers }: ReconcileOptions,
): BridgeLedger {
  const { live, owners } = ledger.snapshot;
  const wanted = withKeys(offered, live);
  const retired = [...owners].filter(([key, owner]) => !wanted.has(key) && (servers?.has(owner) ?? true));
  const enrolled = [...wanted].filter(([key, capability]) => live.get(key) !== capability);
  const after = retired.reduce((next, [key, owner]) => next.retire(key, owner, at), ledger);
  return enrolled.reduce(
    (next, [key, capability]) => next.enroll({ capability, server: ownerOf(capability), key }, at),
    after,
  );
}

/** The offered capabilities by key. A live one keeps its key, which saves hashing its schema. */
function withKeys(
  offered: readonly BridgeCapability[],
  live: ReadonlyMap<BridgeKey, BridgeCapability>,
): ReadonlyMap<BridgeKey, BridgeCapability> {
  const known = new Map([...live].map(([key, capability]) => [capability, key]));
  return new Map(offered.map((capability) => [known.get(capability) ?? mintKey(capability), capability]));
}

/** A schema nested too deeply to hash must not keep its tool out of the deck. */
function mintKey({ descriptor }: BridgeCapability): BridgeKey {
  try {
    return descriptorKey(descriptor);
  } catch (error) {
    if (error instanceof CoreError) return bridgeUlidKey();
    throw error;
  }
}

/** The name is only a fallback, for boxes that do not come from servers: an id may contain `__`. */
function ownerOf({ descriptor }: BridgeCapability): string {
  return descriptor.origin?.server ?? serverOfQualified(descriptor.name);
}
