import type { ServerConfig } from "../../interop/index.ts";
import { createInvalidParametersError } from "../errors/index.ts";
import { MAX_MS } from "./translate-config.ts";

/** The longest time of a call that reports progress, unless its timeout is longer. */
const TOTAL_MS = 600_000;

/** The times of one request. `totalMs` is the limit that progress does not extend. */
export interface RequestTimes {
  readonly timeoutMs: number;
  readonly totalMs: number;
}

export function requestTimes(timeout: number): RequestTimes {
  const timeoutMs = Math.min(timeout, MAX_MS);
  return { timeoutMs, totalMs: Math.max(timeoutMs, TOTAL_MS) };
}

/** The times of a call with its own timeout or that of the client. */
export function callTimes(toolName: string, given: number | undefined, own: number): RequestTimes {
  if (given !== undefined && !(given > 0))
    throw createInvalidParametersError(toolName, "timeout must be a number of milliseconds above zero");
  return requestTimes(given ?? own);
}

/** Removes the deadline of calls: the client sets one for each call. */
export function withoutCallDeadline(config: ServerConfig): ServerConfig {
  return { ...config, timeouts: { ...config.timeouts, callMs: MAX_MS, totalMs: MAX_MS } };
}
