export {
  CALL_METHODS,
  CALL_OUTCOMES,
  type CallFilter,
  type CallMethod,
  type CallOutcome,
  type CallRecord,
  type CallTarget,
} from "./call-record.ts";
