import type { JsonSchema } from "../../llm/index.ts";
import type { LogLevel, ProgressNote } from "../../runtime/index.ts";
import type { MCPConnectionOptions } from "./server-config.ts";
import type { MCPContentBlock, MCPResourceContents, MCPToolDefinition } from "./tool.ts";

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

/** A server's request for input from the user. */
export interface MCPElicitRequest {
  readonly serverName: string;
  /** The text to show to the user. */
  readonly message: string;
  /** Default `form`. */
  readonly mode?: "form" | "url";
  /** The fields of a form. */
  readonly requestedSchema?: JsonSchema;
  /** The page to open in `url` mode. */
  readonly url?: string;
  readonly elicitationId?: string;
}

/** The user's answer. */
export interface MCPElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  /** The fields of an accepted form. */
  readonly content?: { readonly [field: string]: unknown };
}

/** Shows a server's request to the user. */
export type MCPElicitationHandler = (
  request: MCPElicitRequest,
  signal?: AbortSignal,
) => Promise<MCPElicitResult>;

/** A server's request to run a model: the protocol's parameters and the name of the server. */
export interface MCPSamplingRequest {
  readonly serverName: string;
  readonly messages: readonly unknown[];
  readonly maxTokens?: number;
  readonly systemPrompt?: string;
  readonly [member: string]: unknown;
}

/** The model's answer. */
export interface MCPSamplingResult {
  readonly role: "assistant";
  readonly content: MCPContentBlock | readonly MCPContentBlock[];
  readonly model: string;
  readonly stopReason?: string;
}

/** Runs a model for a server. */
export type MCPSamplingHandler = (
  request: MCPSamplingRequest,
  signal?: AbortSignal,
) => Promise<MCPSamplingResult>;

/** Handlers for a server's requests. The server learns which ones exist when it is connected. */
export interface MCPQuestionHandlers {
  /** Without it, servers learn that the user cannot be asked. */
  readonly elicitation?: MCPElicitationHandler;
  /** Without it, servers learn that no model can be run for them. */
  readonly sampling?: MCPSamplingHandler;
}

/** An argument of a prompt. */
export interface MCPPromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt that a server lists. */
export interface MCPPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly MCPPromptArgument[];
  /** The display name. */
  readonly title?: string;
}

/** The messages of a prompt, with its arguments filled in. */
export interface MCPPromptResult {
  readonly description?: string;
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: MCPContentBlock;
  }[];
}

/** Asks for values for an argument of a prompt or of a resource template. */
export interface MCPCompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments that already have a value. */
  readonly context?: { readonly arguments?: { readonly [argument: string]: string } };
}

/** Suggested values. */
export interface MCPCompletion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** A resource that a server lists. */
export interface MCPResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  /** The display name. */
  readonly title?: string;
}

/** A group of resources, described by a URI template. */
export interface MCPResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  readonly title?: string;
}

/** The contents of a resource. Some resources have several parts. */
export interface MCPResourceResult {
  readonly contents: readonly MCPResourceContents[];
}
