import type { MCPElicitationHandler } from "./elicitation.ts";
import type { MCPLogHandler } from "./logging.ts";
import type { MCPPrompt } from "./prompt.ts";
import type { MCPResource } from "./resource.ts";
import type { MCPSamplingHandler } from "./sampling.ts";
import type { MCPConnectionOptions } from "./server-config.ts";
import type { MCPToolDefinition } from "./tool.ts";

/** A folder the client works in. */
export interface MCPRoot {
  /** Begins with `file://`. */
  readonly uri: string;
  readonly name?: string;
}

/** What every connection can be told, whatever its server. */
export interface BaseServerOptions {
  /** Milliseconds for connecting, for a listing and for a call. Default 60,000. */
  readonly timeout?: number;
  readonly logger?: MCPLogHandler;
  /** Hand the server's own messages to `logger`. Default true. */
  readonly enableServerLogs?: boolean;
  /** Tell `logger` of the progress of every call, at level `debug`. Default false. */
  readonly enableProgressTracking?: boolean;
  /** The folders to tell the server about. */
  readonly roots?: readonly MCPRoot[];
}

/** What can be done for servers that ask. A server is told so when it is connected. */
export interface MCPQuestionHandlers {
  /** Without it servers are told that nobody can be asked. */
  readonly elicitation?: MCPElicitationHandler;
  /** Without it servers are told that no model can be run for them. */
  readonly sampling?: MCPSamplingHandler;
}

/** All about one connection. */
export interface MCPClientOptions extends BaseServerOptions, MCPQuestionHandlers, MCPConnectionOptions {}

/** How a server introduced itself. */
export interface MCPInitializeResult {
  readonly protocolVersion: string;
  readonly serverInfo: {
    readonly name?: string;
    readonly version?: string;
    readonly [member: string]: unknown;
  };
  readonly capabilities: { readonly [capability: string]: unknown };
  readonly instructions?: string;
}

/** What a client knows at one moment. */
export interface MCPClientState {
  readonly connected: boolean;
  readonly serverName: string;
  readonly tools: readonly MCPToolDefinition[];
  readonly resources: readonly MCPResource[];
  readonly prompts: readonly MCPPrompt[];
}
