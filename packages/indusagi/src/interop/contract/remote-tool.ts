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
