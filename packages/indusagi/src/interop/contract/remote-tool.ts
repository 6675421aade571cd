import type { ToolDescriptor } from "../../llm/index.ts";
import type { ServerConfig } from "./config.ts";
import type { ExtensionKey } from "./extensions.ts";

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
  /** The tool's name in the configuration, if it is renamed there. */
  readonly shownName?: string;
  /** What a model sees: the wire name, and the schema in the configured profile. */
  readonly descriptor: ToolDescriptor;
  /** The definition that its server sent. */
  readonly definition: ToolDefinition;
}

/** An item of a list, such as a prompt or a resource, exactly as its server sent it. */
export interface ListedItem {
  readonly [member: string]: unknown;
}

/** Everything a server offers, exactly as it sent it. */
export interface ServerListing {
  readonly tools: readonly ToolDefinition[];
  readonly prompts: readonly ListedItem[];
  readonly resources: readonly ListedItem[];
  /** Resource templates. */
  readonly templates: readonly ListedItem[];
  readonly instructions?: string;
  readonly capabilities: { readonly [capability: string]: unknown };
  /** Its name, version and other members, as sent. Absent in listings stored by older versions. */
  readonly serverInfo?: { readonly [member: string]: unknown };
  /** The lists that are empty because the server did not answer in time. Absent if there are none. */
  readonly unread?: readonly ("prompts" | "resources" | "templates")[];
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
  /** The whole result, including unknown members. */
  readonly raw: { readonly [member: string]: unknown };
}

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
