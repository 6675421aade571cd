import { callListener } from "../../../core/index.ts";
import type { Caller, LogEntry } from "../../../runtime/index.ts";
import { logLevelOf } from "../../../runtime/internal.ts";
import type { Audience, SessionNotification } from "../../contract/index.ts";
import type { RpcLane } from "../../wire/index.ts";
import type { QuestionRouter } from "./question-router.ts";

export interface LogRoute {
  readonly lane: RpcLane | undefined;
  readonly questions: QuestionRouter;
  /** Gets the entries that have no caller. */
  readonly onLog: ((entry: LogEntry, audience: Audience) => void) | undefined;
}

/**
 * Passes a log message of the server to the caller of its call. Over HTTP the stream identifies the call. Elsewhere a log
 * message names no call, so a caller gets it only if all calls in progress belong to it.
 */
export function routeLog({ params = {} }: SessionNotification, { lane, questions, onLog }: LogRoute): void {
  const carrier = lane?.carrier();
  const caller: Caller | undefined = carrier ? carrier.caller : questions.onlyCaller();
  const entry = entryOf(params);
  if (caller?.log) callListener(caller.log.bind(caller), entry);
  // A caller without `log` wants none, and other clients must not see the messages of its call.
  else if (onLog) callListener(() => onLog(entry, caller ? { kind: "none" } : questions.audience()), entry);
}

function entryOf({ level, logger, data }: NonNullable<SessionNotification["params"]>): LogEntry {
  return {
    level: logLevelOf(level),
    data,
    ...(typeof logger === "string" ? { logger } : {}),
  };
}
