export {
  type DamageKind,
  LedgerLogError,
  type LedgerLogErrorKind,
  type LogDamage,
} from "./ledger-log-error.ts";
export { type LogDisk, type LogFile, type LogOpenMode, localLogDisk } from "./log-disk.ts";
export { type AppendResult, type LedgerLog, type OpenLogOptions, openLedgerLog } from "./open-ledger-log.ts";
export { type LedgerReplay, type ReadLogOptions, readLedgerLog, replayLedgerLog } from "./read-ledger-log.ts";
export type { DecisionOp, DecisionRecord, LedgerNote, RefusedRecord } from "./record/decision-record.ts";
export type { LedgerItem, RefusedEntry } from "./record/format-entries.ts";
export type { SegmentTitle } from "./record/record-body.ts";
export type { CorruptReading, EntryListener, LogReading, TornReading, WholeReading } from "./scan-log.ts";
export { type LedgerSegment, listLedgerSegments } from "./segment/ledger-segments.ts";
export type { SetAside } from "./segment/open-segment.ts";
export type { LastState, SweepOptions, SweepResult } from "./segment/sweep-segments.ts";
