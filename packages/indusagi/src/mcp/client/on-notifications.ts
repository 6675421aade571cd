import { callListener, escapeForDisplay } from "../../core/index.ts";
import type { SessionNotification } from "../../interop/index.ts";
import type { MCPLoggingLevel, MCPLogMessage } from "../contract/index.ts";
import { jsonText } from "../translate/index.ts";
import type { ClientHandlers } from "./client-handlers.ts";

export interface HearOptions {
  readonly serverName: string;
  readonly handlers: ClientHandlers;
  /** Whether the server's own messages go to the logger. */
  readonly hearsLogs: boolean;
}

type Params = { readonly [member: string]: unknown };
type Heard = (params: Params, options: HearOptions) => void;

/** What is done about each notification. Progress belongs to its call, and a changed list of tools to the catalogue. */
const HEARD: { readonly [method: string]: Heard } = {
  "notifications/message": (params, options) => {
    if (options.hearsLogs) callListener(options.handlers.logger, logMessage(params, options.serverName));
  },
  "notifications/resources/updated": ({ uri }, { handlers, serverName }) => {
    if (typeof uri === "string") callListener(handlers.resourceUpdated, { uri, serverName });
  },
  "notifications/resources/list_changed": (_params, { handlers, serverName }) =>
    callListener(handlers.resourceListChanged, { serverName }),
  "notifications/prompts/list_changed": (_params, { handlers, serverName }) =>
    callListener(handlers.promptListChanged, { serverName }),
};

/** Brings a notification of the server to the handler it is for. */
export function hearNotification({ method, params = {} }: SessionNotification, options: HearOptions): void {
  if (Object.hasOwn(HEARD, method)) HEARD[method]?.(params, options);
}

const LEVELS: readonly unknown[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] satisfies MCPLoggingLevel[];

function logMessage({ level, logger, data }: Params, serverName: string): MCPLogMessage {
  const message = typeof data === "string" ? data : jsonText(data);
  return {
    level: LEVELS.includes(level) ? (level as MCPLoggingLevel) : "info",
    message: escapeForDisplay(message, { keepNewlines: true }),
    timestamp: new Date(),
    serverName,
    ...(typeof logger === "string" ? { logger } : {}),
    ...(data === undefined ? {} : { details: data }),
  };
}
