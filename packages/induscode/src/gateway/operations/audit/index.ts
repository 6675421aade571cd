export { type AuditTrail, type AuditTrailOptions, openAuditTrail } from "./audit-trail.ts";
export {
  CALL_METHODS,
  CALL_OUTCOMES,
  type CallMethod,
  type CallOutcome,
  type CallRecord,
  type CallTarget,
} from "./internal.ts";
export { type AuditFilter, type AuditRecords, openAuditRecords, recordsIn } from "./read-audit.ts";
export { recordLine } from "./record-line.ts";
