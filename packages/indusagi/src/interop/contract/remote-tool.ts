import type { ToolDescriptor } from "../../llm/index.ts";

/** One tool on one server. */
export interface RemoteToolRef {
  /** The server's id. */
  readonly server: string;
  /** The tool's exact name on that server. */
  readonly name: string;
}

/** A tool's listing exactly as its server sent it. */
export interface ToolDefinition {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** A tool on a server. */
export interface RemoteTool {
  readonly ref: RemoteToolRef;
  /** What a model sees: the wire name, and the schema in the configured profile. */
  readonly descriptor: ToolDescriptor;
  /** The definition that its server sent. */
  readonly definition: ToolDefinition;
}

/** A listed tool that cannot be used, and why. The other tools are not affected. */
export interface SkippedTool {
  /** Its name, if it has one. */
  readonly name?: string;
  readonly why: string;
}

/** A server's answer to a call, member by member as received. */
export interface RemoteCallResult {
  /** The MCP content blocks. Empty if the content was not an array. */
  readonly content: readonly unknown[];
  readonly isError: boolean;
  readonly structuredContent?: unknown;
  readonly meta?: { readonly [key: string]: unknown };
  /** The whole result, unknown members included. */
  readonly raw: { readonly [member: string]: unknown };
}
