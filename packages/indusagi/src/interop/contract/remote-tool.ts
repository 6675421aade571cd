import type { ToolDescriptor } from "../../llm/index.ts";

/** One tool on one server. */
export interface RemoteToolRef {
  /** The server's id. */
  readonly server: string;
  /** The tool's name at that server, exactly. */
  readonly name: string;
}

/** A tool's listing exactly as its server sent it. */
export interface ToolDefinition {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** A tool on a server, as it is known here. */
export interface RemoteTool {
  readonly ref: RemoteToolRef;
  /** What a model sees: the wire name, and the schema in the configured profile. */
  readonly descriptor: ToolDescriptor;
  /** What its server sent. */
  readonly definition: ToolDefinition;
}

/** A listed tool that could not be taken, and why. It never hides the others. */
export interface SkippedTool {
  /** Its name, where it had one. */
  readonly name?: string;
  readonly why: string;
}

/** What a server answered to a call, member by member as it came. */
export interface RemoteCallResult {
  /** The MCP content blocks. Content that was no array counts as none. */
  readonly content: readonly unknown[];
  readonly isError: boolean;
  readonly structuredContent?: unknown;
  readonly meta?: { readonly [key: string]: unknown };
  /** The whole result, unknown members included. */
  readonly raw: { readonly [member: string]: unknown };
}
