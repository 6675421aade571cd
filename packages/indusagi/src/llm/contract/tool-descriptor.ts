import type { JsonSchema } from "./json.ts";

/** Hints a tool gives about itself. Hints, not promises: they count only from a server that was approved. */
export interface ToolAnnotations {
  /** A name for people. */
  readonly title?: string;
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean;
  /** What the tool changes may be lost by it (meaningful only when it is not read-only). */
  readonly destructiveHint?: boolean;
  /** Calling it twice with the same arguments does no more than calling it once. */
  readonly idempotentHint?: boolean;
  /** The tool reaches things beyond this machine or account, such as the web. */
  readonly openWorldHint?: boolean;
}

/** Where a mounted tool comes from. Looked up here, never recovered by taking a name apart. */
export interface ToolOrigin {
  /** The id of its server in the configuration. */
  readonly server: string;
  /** Its name at that server, exactly. */
  readonly tool: string;
}

/** What is known about a tool before it is called. */
export interface ToolDescriptor {
  /** The name a model calls it by; unique in its box, `^[A-Za-z0-9_-]{1,64}$`. */
  readonly name: string;
  /** What the tool does and when to use it, written for a model. */
  readonly description: string;
  /** The arguments, as the schema a model is shown. Its root is an object schema. */
  readonly parameters: JsonSchema;
  /** A name for people, where it differs from `name`. */
  readonly title?: string;
  /** What the tool says about its own effects. */
  readonly annotations?: ToolAnnotations;
  /** The schema of `ToolResult.structured`, where the tool promises one. */
  readonly outputSchema?: JsonSchema;
  /** Absent for a native tool. */
  readonly origin?: ToolOrigin;
  /**
   * The tool's listing exactly as its server sent it: unknown members, `_meta`, icons and `$defs` included.
   * This, with `name` alone replaced, is what an MCP client behind our host is shown.
   */
  readonly definition?: { readonly [member: string]: unknown };
}
