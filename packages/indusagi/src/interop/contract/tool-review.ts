import type { ServerConfig } from "./config.ts";
import type { RemoteTool, ToolDefinition } from "./remote-tool.ts";

/** Who listed the tools that are reviewed. */
export interface ReviewedListing {
  readonly config: ServerConfig;
  /** As the server sent them, without those that its row excludes. */
  readonly tools: readonly ToolDefinition[];
  /** False: the tools are known from an earlier run, and the server has not listed them in this one. */
  readonly isLive: boolean;
  /** The version that the server reports. Absent if it reports none, or is not live. */
  readonly version?: string;
}

/** What remains of a listing after its review. */
export interface ReviewedTools {
  /** The definitions to offer. One that is not changed by the review is the same object. */
  readonly offered: readonly ToolDefinition[];
  /** The tools that are not offered, by their exact names, each with the message that a call of it gets. */
  readonly withheld: ReadonlyMap<string, string>;
}

/**
 * Decides what is offered of each listing, for example that an approved text stays in use. Every tool of a fleet passes it,
 * also those known from an earlier run. No method may throw; a review that throws offers nothing of its listing.
 */
export interface ToolReview {
  review(listing: ReviewedListing): ReviewedTools;
  /** Calls the listener with the id of a server whose tools must be reviewed again. Returns a function that removes it. */
  onChange(listener: (server: string) => void): () => void;
}

/** A tool that its server lists and that is not offered. */
export interface WithheldTool {
  readonly tool: RemoteTool;
  /** The reason and the remedy, in one line. */
  readonly message: string;
}
