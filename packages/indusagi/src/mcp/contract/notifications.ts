import type { LogLevel, ProgressNote } from "../../runtime/index.ts";

/** The severity of a log message, as in syslog. */
export type MCPLoggingLevel = LogLevel;

/** A log message from a server, or from the client about its server. */
export interface MCPLogMessage {
  readonly level: MCPLoggingLevel;
  readonly message: string;
  readonly timestamp: Date;
  readonly serverName: string;
  /** The part of the server that logged it. */
  readonly logger?: string;
  /** The data of the message, as received. */
  readonly details?: unknown;
}

/** Called with each log message. Its errors are ignored. */
export type MCPLogHandler = (message: MCPLogMessage) => void;

/** The progress of one call. */
export interface MCPProgressNotification extends ProgressNote {
  readonly serverName: string;
  readonly toolName?: string;
  /** Tells the calls of one tool apart. Absent for a call that runs as a task and is polled. */
  readonly progressToken?: string | number;
}

/** Called with the progress of every call a client makes. */
export type MCPProgressHandler = (notification: MCPProgressNotification) => void;

/** Called when a watched resource has changed. */
export type MCPResourceUpdatedHandler = (notice: {
  readonly uri: string;
  readonly serverName: string;
}) => void;

/** Called when one of a server's lists has changed. */
export type MCPListChangedHandler = (notice: { readonly serverName: string }) => void;
