import type { JsonSchema } from "../../llm/index.ts";
import type { MCPContentBlock } from "./content.ts";

/** What an agent's tool answers. */
export interface AgentToolResult<Details = unknown> {
  /** What the model reads. */
  readonly content: readonly MCPContentBlock[];
  /** Whatever else the program around the model may want: for a minted tool the whole result, or what went wrong. */
  readonly details?: Details;
  readonly isError?: boolean;
  /** The answer as data, where there is one. */
  readonly structuredContent?: unknown;
}

/** A tool that an agent can call, and that an `MCPServer` can publish. */
export interface AgentTool<Details = unknown> {
  readonly name: string;
  /** A name for people. */
  readonly label?: string;
  readonly description?: string;
  /** Where the tool belongs in a list: `mcp` for a minted one. */
  readonly category?: string;
  /** The arguments; `{}` is published as an object without known members. */
  readonly parameters: JsonSchema;
  /** Runs the tool. `onUpdate` hears what can be shown before the answer. */
  execute(
    toolCallId: string,
    params: { readonly [name: string]: unknown },
    signal?: AbortSignal,
    onUpdate?: (partial: AgentToolResult<Details>) => void,
  ): Promise<AgentToolResult<Details>>;
}

/** What a registry is told about a tool before it is made. */
export interface AgentToolMeta {
  readonly name: string;
  readonly label?: string;
  readonly description?: string;
  readonly category?: string;
}

/** Any registry that tools can be put into; it is never imported, only called. */
export interface AgentToolRegistry {
  register(meta: AgentToolMeta, factory: () => AgentTool): unknown;
}
