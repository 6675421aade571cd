import type { ServerConfig } from "./config.ts";
import type { ExtensionKey } from "./extensions.ts";
import type { RemoteTool, ToolDefinition } from "./remote-tool.ts";

/** A listing to review. */
export interface ReviewedListing {
  readonly config: ServerConfig;
  /** As the server sent them, without the ones its row excludes. */
  readonly tools: readonly ToolDefinition[];
  /** False: the tools are remembered from an earlier run; the server has not listed them in this one. */
  readonly isLive: boolean;
  /** The version that the server reports. Absent if it reports none, or is not live. */
  readonly version?: string;
  /** The list is for clients with these extensions. Absent: for all others. It may have other tools, or other forms of them. */
  readonly extensions?: ExtensionKey;
}

/** The result of a review. */
export interface ReviewedTools {
  /** The definitions to offer. Unchanged ones are the same objects. */
  readonly offered: readonly ToolDefinition[];
  /** The tools that are not offered, by exact name, each with the message that its callers get. */
  readonly withheld: ReadonlyMap<string, string>;
}

/**
 * Decides which tools of each listing are offered, for example to keep an approved text in use. Every tool of a fleet is
 * reviewed, even those remembered from an earlier run. No method may throw; if a review throws, nothing of its listing is offered.
 */
export interface ToolReview {
  review(listing: ReviewedListing): ReviewedTools;
  /**
   * What calls of a server wait for after it has started. `connection`: they are sent at once. `listing`: until its tools are listed and
   * reviewed; if they cannot be listed, the last known ones count. `review`: the same, but then calls are refused. Default: `listing`.
   */
  callsAwait?(config: ServerConfig): "connection" | "listing" | "review";
  /** Calls the listener with the id of a server whose tools must be reviewed again. Returns a function that removes the listener. */
  onChange(listener: (server: string) => void): () => void;
}

/** A tool that its server lists but that is not offered. */
export interface WithheldTool {
  readonly tool: RemoteTool;
  /** The reason and the remedy, in one line. */
  readonly message: string;
}
