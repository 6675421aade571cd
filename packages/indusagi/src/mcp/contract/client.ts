import type { MCPLogHandler } from "./notifications.ts";
import type { MCPPrompt } from "./prompt.ts";
import type { MCPQuestionHandlers } from "./questions.ts";
import type { MCPResource } from "./resource.ts";
import type { MCPConnectionOptions } from "./server-config.ts";
import type { MCPToolDefinition } from "./tool.ts";

/** A folder that the server may ask for. */
export interface MCPRoot {
  /** A `file://` URI. */
  readonly uri: string;
  readonly name?: string;
}

/** Options that apply to any server. */
export interface BaseServerOptions {
  /** Milliseconds for connecting, for a listing and for a call. Default 60,000. */
  readonly timeout?: number;
  readonly logger?: MCPLogHandler;
  /** Pass the server's log messages to `logger`. Default true. */
  readonly enableServerLogs?: boolean;
  /** Log the progress of every call at level `debug`. Default false. */
  readonly enableProgressTracking?: boolean;
  /** The folders that the server may ask for. */
  readonly roots?: readonly MCPRoot[];
}

/** The options of one client. */
export interface MCPClientOptions extends BaseServerOptions, MCPQuestionHandlers, MCPConnectionOptions {}

/** What a server declared when it was connected. */
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

/** A snapshot of a client. */
export interface MCPClientState {
  readonly connected: boolean;
  readonly serverName: string;
  readonly tools: readonly MCPToolDefinition[];
  readonly resources: readonly MCPResource[];
  readonly prompts: readonly MCPPrompt[];
}

/** The servers of a pool, and options for all of them. */
export interface MCPClientPoolOptions extends BaseServerOptions, MCPQuestionHandlers {
  readonly servers: readonly MCPConnectionOptions[];
}

/** The status of one server of a pool. A server that failed has an `error` and no counts. */
export interface MCPServerStatus {
  readonly name: string;
  readonly connected: boolean;
  /** It comes with a project and is not approved, so it is not started. `error` says how to approve it. */
  readonly state?: "untrusted";
  readonly toolCount?: number;
  readonly resourceCount?: number;
  readonly promptCount?: number;
  /** Why it is not connected, or which list could not be fetched. */
  readonly error?: string;
}

/** The connected pool, and the number of tools that were registered. Generic, because types of the contract do not import the pool. */
export interface InitializedMCP<Pool = unknown> {
  readonly pool: Pool;
  readonly toolCount: number;
  /** Files and rows that could not be read, and servers that were not started, with the reason. */
  readonly notices: readonly string[];
}
