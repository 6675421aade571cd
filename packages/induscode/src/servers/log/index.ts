export type { ServerEvent, ServerLogEntry } from "./log-entry.ts";
export { type LogLinesOptions, localTime, showLogEntry } from "./log-lines.ts";
export { openServerLog, type ServerLog, type ServerLogOptions } from "./open-server-log.ts";
export { type ReadServerLogOptions, type ServerLogs, serverLogs } from "./read-server-log.ts";
