import type { BaseServerOptions } from "./client.ts";
import type { MCPQuestionHandlers } from "./questions.ts";
import type { MCPConnectionOptions } from "./server-config.ts";

/** The servers of a pool, and options for all of them. */
export interface MCPClientPoolOptions extends BaseServerOptions, MCPQuestionHandlers {
  readonly servers: readonly MCPConnectionOptions[];
}

/** The status of one server of a pool. A server that failed has an `error` and no counts. */
export interface MCPServerStatus {
  readonly name: string;
  readonly connected: boolean;
  /** It comes with a project and is not approved, so it is not started. `error` names the way to approve it. */
  readonly state?: "untrusted";
  readonly toolCount?: number;
  readonly resourceCount?: number;
  readonly promptCount?: number;
  /** Why it is not connected, or which list could not be fetched. */
  readonly error?: string;
}

/** The connected pool, and the number of tools that were registered. */
export interface InitializedMCP<Pool = unknown> {
  readonly pool: Pool;
  readonly toolCount: number;
  /** Files and rows that could not be read, and servers that were not started, with the reason. */
  readonly notices: readonly string[];
}
