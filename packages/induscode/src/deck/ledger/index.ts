export {
  type BridgeCallContext,
  BridgeCapability,
  type BridgeSource,
  bridgeBoxSource,
  bridgeBoxToCapabilities,
  type CapabilityFacts,
  replayedCapability,
} from "./bridge-capability.ts";
export type { BridgeEntry, BridgeOp, EnrollEntry, RetireEntry } from "./bridge-entry.ts";
export {
  type BridgeKey,
  bridgeContentKey,
  bridgeFingerprint,
  bridgeUlidKey,
  descriptorKey,
  isBridgeKey,
  qualifyBridgeName,
  serverOfQualified,
} from "./bridge-key.ts";
export { BridgeLedger, type EnrollRequest } from "./bridge-ledger.ts";
export { type LedgerSnapshot, reduceLedger } from "./reduce-ledger.ts";
export { formDifference, textDifference, toolDifference } from "./tool-difference.ts";
export { definitionForm, type ToolSelfDescription } from "./tool-self-description.ts";
