export {
  type BridgeCallContext,
  BridgeCapability,
  bridgeBoxToCapabilities,
  type CapabilityFacts,
  replayedCapability,
} from "./bridge-capability.ts";
export type { BridgeEntry, BridgeOp, EnrollEntry, RetireEntry } from "./bridge-entry.ts";
export { bridgeFingerprint } from "./bridge-fingerprint.ts";
export { type BridgeKey, bridgeContentKey, bridgeUlidKey, descriptorKey, isBridgeKey } from "./bridge-key.ts";
export { BridgeLedger, type EnrollRequest } from "./bridge-ledger.ts";
export { qualifyBridgeName, serverOfQualified } from "./bridge-names.ts";
export { type BridgeSource, bridgeBoxSource } from "./bridge-source.ts";
export { type LedgerSnapshot, reduceLedger } from "./reduce-ledger.ts";
export { textDifference } from "./text-difference.ts";
export { formDifference, toolDifference } from "./tool-difference.ts";
export { definitionForm, type ToolSelfDescription } from "./tool-self-description.ts";
