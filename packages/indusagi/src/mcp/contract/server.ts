import type { AgentTool } from "./agent-tool.ts";

/** An MCP server over an agent's tools. */
export interface MCPServerOptions {
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string;
  readonly tools: readonly AgentTool[];
  /** What the server is for; clients may show it to their model. */
  readonly description?: string;
}
