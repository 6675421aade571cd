import type { LogLevel } from "./contract/index.ts";

/** From the most verbose to the most severe. */
const LEVELS: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The level of a log message as a server sent it. An unknown level counts as `info`, so no message is lost. */
export function logLevelOf(level: unknown): LogLevel {
  return (LEVELS as readonly unknown[]).includes(level) ? (level as LogLevel) : "info";
}

/** Whether an entry of this level passes a threshold. Without a threshold, every entry does. */
export function isWantedLevel(level: LogLevel, threshold: LogLevel | undefined): boolean {
  return threshold === undefined || LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

/** The level that includes all of these; `undefined` for none. */
export function mostVerboseLevel(levels: Iterable<LogLevel>): LogLevel | undefined {
  let most: LogLevel | undefined;
  for (const level of levels) if (most === undefined || isWantedLevel(most, level)) most = level;
  return most;
}
