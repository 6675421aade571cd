import type { JsonSchema } from "../../llm/index.ts";
import type { MCPContentBlock } from "./tool.ts";

/** The result of an agent's tool. */
export interface AgentToolResult<Details = unknown> {
  /** The part for the model. */
  readonly content: readonly MCPContentBlock[];
  /** The part for the program. For a minted tool: the whole result, or a description of the failure. */
  readonly details?: Details;
  readonly isError?: boolean;
  /** The result as data. */
  readonly structuredContent?: unknown;
}

/** A tool that an agent can call, and that an `MCPServer` can publish. */
export interface AgentTool<Details = unknown> {
  readonly name: string;
  /** The display name. */
  readonly label?: string;
  readonly description?: string;
  /** The group of the tool in a list; `mcp` for a minted tool. */
  readonly category?: string;
  /** The schema of the arguments. `{}` is published as `{ "type": "object" }`. */
  readonly parameters: JsonSchema;
  /** Runs the tool. `onUpdate` may be called with partial results before the answer. */
  execute(
    toolCallId: string,
    params: { readonly [name: string]: unknown },
    signal?: AbortSignal,
    onUpdate?: (partial: AgentToolResult<Details>) => void,
  ): Promise<AgentToolResult<Details>>;
}

/** Describes a tool to a registry before the tool is created. */
export interface AgentToolMeta {
  readonly name: string;
  readonly label?: string;
  readonly description?: string;
  readonly category?: string;
}

/** A registry of any agent library. */
export interface AgentToolRegistry {
  register(meta: AgentToolMeta, factory: () => AgentTool): unknown;
}

/** Options of an MCP server over an agent's tools. */
export interface MCPServerOptions {
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string;
  readonly tools: readonly AgentTool[];
  /** The purpose of the server. Clients may show it to their model. */
  readonly description?: string;
}
