export type { LogEntry, ServerEvent } from "./log-entry.ts";
export { openServerLog, type ServerLog, type ServerLogOptions } from "./open-server-log.ts";
export { followServerLog, type ReadServerLogOptions, readServerLog } from "./read-server-log.ts";
