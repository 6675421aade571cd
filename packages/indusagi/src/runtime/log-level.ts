import type { LogLevel } from "./contract/index.ts";

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

/** The level of a log message as a server sent it. An unknown level counts as `info`, so that no message is lost. */
export function logLevelOf(level: unknown): LogLevel {
  return LEVELS.includes(level) ? (level as LogLevel) : "info";
}
