export { type AuditTrail, type AuditTrailOptions, openAuditTrail } from "./audit-trail.ts";
export { CALL_OUTCOMES, type CallOutcome, type CallRecord } from "./call-record.ts";
export { type AuditFilter, type AuditRecords, auditRecords } from "./read-audit.ts";
