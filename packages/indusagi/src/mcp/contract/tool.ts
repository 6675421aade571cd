import type { JsonSchema, ToolAnnotations } from "../../llm/index.ts";
import type { ProgressNote } from "../../runtime/index.ts";

/** A tool as its server lists it. */
export interface MCPToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** The display name. */
  readonly title?: string;
  readonly annotations?: ToolAnnotations;
}

/** A call of a tool. */
export interface MCPToolCallRequest {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: unknown };
}

/** The result of a tool. */
export interface MCPToolCallResult {
  readonly content: readonly MCPContentBlock[];
  /** True if the tool reported a failure. */
  readonly isError: boolean;
  /** The result as data. */
  readonly structuredContent?: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

/** Options of one call. */
export interface MCPCallOptions {
  /** Cancels the call: the server is notified, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (note: ProgressNote) => void;
  /** Milliseconds. Default: the client's timeout. */
  readonly timeout?: number;
}

/** The part of a client that a minted tool uses. */
export interface MCPToolClient {
  readonly serverName: string;
  readonly connected: boolean;
  callTool(
    name: string,
    args?: { readonly [name: string]: unknown },
    options?: MCPCallOptions,
  ): Promise<MCPToolCallResult>;
}

interface AnyMCPBlock {
  readonly annotations?: { readonly [hint: string]: unknown };
  readonly _meta?: { readonly [key: string]: unknown };
}

export interface MCPTextBlock extends AnyMCPBlock {
  readonly type: "text";
  readonly text: string;
}

/** An image or audio, as base64. */
export interface MCPMediaBlock extends AnyMCPBlock {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** The contents of a resource: text, or bytes as base64. */
export interface MCPResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: { readonly [key: string]: unknown };
}

/** A resource embedded in an answer. */
export interface MCPResourceBlock extends AnyMCPBlock {
  readonly type: "resource";
  readonly resource: MCPResourceContents;
}

/** A reference to a resource that can be read from the server. */
export interface MCPResourceLinkBlock extends AnyMCPBlock {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** One part of an answer. Blocks of any other `type` are passed on unchanged. */
export type MCPContentBlock = MCPTextBlock | MCPMediaBlock | MCPResourceBlock | MCPResourceLinkBlock;
