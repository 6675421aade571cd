export {
  type BridgeCallContext,
  BridgeCapability,
  bridgeBoxToCapabilities,
} from "./ledger/bridge-capability.ts";
export type { BridgeEntry, BridgeOp, EnrollEntry, RetireEntry } from "./ledger/bridge-entry.ts";
export { bridgeFingerprint } from "./ledger/bridge-fingerprint.ts";
export { type BridgeKey, bridgeContentKey, bridgeUlidKey, isBridgeKey } from "./ledger/bridge-key.ts";
export { BridgeLedger, type EnrollRequest } from "./ledger/bridge-ledger.ts";
export { qualifyBridgeName, serverOfQualified } from "./ledger/bridge-names.ts";
export { LedgerLogError, type LedgerLogErrorKind } from "./ledger/log/ledger-log-error.ts";
export { type LedgerSegment, listLedgerSegments } from "./ledger/log/ledger-segments.ts";
export { localLogDisk } from "./ledger/log/local-log-disk.ts";
export type { DamageKind, LogDamage } from "./ledger/log/log-damage.ts";
export type { LogDisk, LogFile, LogOpenMode } from "./ledger/log/log-disk.ts";
export { type LedgerLog, type OpenLogOptions, openLedgerLog } from "./ledger/log/open-ledger-log.ts";
export {
  type LedgerReplay,
  type ReadLogOptions,
  readLedgerLog,
  replayLedgerLog,
} from "./ledger/log/read-ledger-log.ts";
export type { SegmentTitle } from "./ledger/log/record-body.ts";
export type {
  CorruptReading,
  EntryListener,
  LogReading,
  TornReading,
  WholeReading,
} from "./ledger/log/scan-log.ts";
export type { SetAside } from "./ledger/log/set-aside-tail.ts";
export { type LedgerSnapshot, reduceLedger } from "./ledger/reduce-ledger.ts";
