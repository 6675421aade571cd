import type { BaseServerOptions, MCPQuestionHandlers } from "./client.ts";
import type { MCPConnectionOptions } from "./server-config.ts";

/** The servers of a pool, and options for all of them. */
export interface MCPClientPoolOptions extends BaseServerOptions, MCPQuestionHandlers {
  readonly servers: readonly MCPConnectionOptions[];
}

/** How one server of a pool is. A server that failed stays in the list, with its reason and without counts. */
export interface MCPServerStatus {
  readonly name: string;
  readonly connected: boolean;
  readonly toolCount?: number;
  readonly resourceCount?: number;
  readonly promptCount?: number;
  /** Why it is not connected, or what could not be counted. */
  readonly error?: string;
}

/** What `initializeMCP` made: the connected pool, and how many of its tools were registered. */
export interface InitializedMCP<Pool = unknown> {
  readonly pool: Pool;
  readonly toolCount: number;
  /** What was left out and why: files and rows that could not be read, servers that wait for approval. */
  readonly notices: readonly string[];
}
