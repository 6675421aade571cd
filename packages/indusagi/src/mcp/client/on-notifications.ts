import { callListener, escapeForDisplay } from "../../core/index.ts";
import { jsonText } from "../../interop/content/index.ts";
import type { SessionNotification } from "../../interop/index.ts";
import { logLevelOf } from "../../runtime/internal.ts";
import type { MCPLogMessage } from "../contract/index.ts";
import type { ClientHandlers } from "./client-handlers.ts";

export interface NotificationOptions {
  readonly serverName: string;
  readonly handlers: ClientHandlers;
  /** Whether log messages of the server go to the logger. */
  readonly wantsLogs: boolean;
}

type Params = { readonly [member: string]: unknown };
type Handle = (params: Params, options: NotificationOptions) => void;

/** The handlers by method. Progress is handled by its call, a changed list of tools by the catalogue. */
const HANDLERS: { readonly [method: string]: Handle } = {
  "notifications/message": (params, options) => {
    if (options.wantsLogs) callListener(options.handlers.logger, logMessage(params, options.serverName));
  },
  "notifications/resources/updated": ({ uri }, { handlers, serverName }) => {
    if (typeof uri === "string") callListener(handlers.resourceUpdated, { uri, serverName });
  },
  "notifications/resources/list_changed": (_params, { handlers, serverName }) =>
    callListener(handlers.resourceListChanged, { serverName }),
  "notifications/prompts/list_changed": (_params, { handlers, serverName }) =>
    callListener(handlers.promptListChanged, { serverName }),
};

/** Passes a notification of the server to its handler. */
export function handleNotification(
  { method, params = {} }: SessionNotification,
  options: NotificationOptions,
): void {
  if (Object.hasOwn(HANDLERS, method)) HANDLERS[method]?.(params, options);
}

function logMessage({ level, logger, data }: Params, serverName: string): MCPLogMessage {
  const message = typeof data === "string" ? data : jsonText(data);
  return {
    level: logLevelOf(level),
    message: escapeForDisplay(message, { keepNewlines: true }),
    timestamp: new Date(),
    serverName,
    ...(typeof logger === "string" ? { logger } : {}),
    ...(data === undefined ? {} : { details: data }),
  };
}
