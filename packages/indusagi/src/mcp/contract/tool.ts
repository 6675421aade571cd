import type { JsonSchema, ToolAnnotations } from "../../llm/index.ts";
import type { ProgressNote } from "../../runtime/index.ts";
import type { MCPContentBlock } from "./content.ts";

/** A tool as its server lists it. */
export interface MCPToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** A name for people. */
  readonly title?: string;
  readonly annotations?: ToolAnnotations;
}

/** One request to run a tool. */
export interface MCPToolCallRequest {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: unknown };
}

/** What a tool answered. */
export interface MCPToolCallResult {
  readonly content: readonly MCPContentBlock[];
  /** The tool could not do what was asked. */
  readonly isError: boolean;
  /** The answer as data, where the tool gave one. */
  readonly structuredContent?: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

/** How one call differs from the client's other calls. */
export interface MCPCallOptions {
  /** Cancels in flight: the server is told, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (note: ProgressNote) => void;
  /** Milliseconds, in the place of the client's own. */
  readonly timeout?: number;
}

/** All that a minted tool needs of a client. */
export interface MCPToolClient {
  readonly serverName: string;
  readonly connected: boolean;
  callTool(
    name: string,
    args?: { readonly [name: string]: unknown },
    options?: MCPCallOptions,
  ): Promise<MCPToolCallResult>;
}
