import type { LogLevel } from "../../runtime/index.ts";

/** How grave a message is, in the words of syslog. */
export type MCPLoggingLevel = LogLevel;

/** A message of a server, or of the client about its server. */
export interface MCPLogMessage {
  readonly level: MCPLoggingLevel;
  readonly message: string;
  readonly timestamp: Date;
  readonly serverName: string;
  /** Which part of the server speaks. */
  readonly logger?: string;
  /** What came with the message, as it came. */
  readonly details?: unknown;
}

/** Hears messages. What it throws disturbs nobody. */
export type MCPLogHandler = (message: MCPLogMessage) => void;
