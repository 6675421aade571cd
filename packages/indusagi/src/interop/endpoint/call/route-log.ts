import { callListener } from "../../../core/index.ts";
import type { Caller, LogEntry, LogLevel } from "../../../runtime/index.ts";
import type { SessionNotification } from "../../contract/index.ts";
import type { RpcLane } from "../../wire/index.ts";
import type { QuestionRouter } from "./question-router.ts";

export const LOG_METHOD = "notifications/message";

const LEVELS: readonly unknown[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] satisfies LogLevel[];

export interface LogRoute {
  readonly lane: RpcLane | undefined;
  readonly questions: QuestionRouter;
  /** Gets the entries that belong to no caller. */
  readonly onLog: ((entry: LogEntry) => void) | undefined;
}

/**
 * Passes a log message of the server to the caller of its call. Over HTTP the stream shows the call. Elsewhere a log
 * message names no call, so a caller gets it only if all calls in progress belong to it.
 */
export function routeLog({ params = {} }: SessionNotification, { lane, questions, onLog }: LogRoute): void {
  const carrier = lane?.carrier();
  const caller: Caller | undefined = carrier ? carrier.caller : questions.onlyCaller();
  const receive = caller?.log ? caller.log.bind(caller) : onLog;
  callListener(receive, entryOf(params));
}

function entryOf({ level, logger, data }: NonNullable<SessionNotification["params"]>): LogEntry {
  return {
    level: LEVELS.includes(level) ? (level as LogLevel) : "info",
    data,
    ...(typeof logger === "string" ? { logger } : {}),
  };
}
