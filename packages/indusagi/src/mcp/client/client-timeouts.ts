import type { ServerConfig } from "../../interop/index.ts";
import { createInvalidParametersError } from "../errors/index.ts";
import { MAX_MS } from "./translate-config.ts";

/** However much progress a call makes, it is given no more than this, unless its own timeout is longer. */
const TOTAL_MS = 600_000;

/** The times of one request. */
export interface RequestTimes {
  readonly timeoutMs: number;
  readonly totalMs: number;
}

/** For a request that stays open as long as its connection. */
export const WHOLE_LIFE: RequestTimes = Object.freeze({ timeoutMs: MAX_MS, totalMs: MAX_MS });

/** A timeout of one request, whole: how long without progress, how long with it. */
export function requestTimes(timeout: number): RequestTimes {
  const timeoutMs = Math.min(timeout, MAX_MS);
  return { timeoutMs, totalMs: Math.max(timeoutMs, TOTAL_MS) };
}

/** A call's own timeout, or the client's. */
export function callTimes(toolName: string, given: number | undefined, own: number): RequestTimes {
  if (given !== undefined && !(given > 0))
    throw createInvalidParametersError(toolName, "timeout must be a number of milliseconds above zero");
  return requestTimes(given ?? own);
}

/** A connection that leaves the deadlines of calls to the client, where each call can have its own. */
export function withoutCallDeadline(config: ServerConfig): ServerConfig {
  return { ...config, timeouts: { ...config.timeouts, callMs: MAX_MS, totalMs: MAX_MS } };
}
