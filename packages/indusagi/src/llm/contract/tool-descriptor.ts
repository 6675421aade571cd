import type { JsonSchema } from "./json.ts";

/** Hints of a tool about its own effects. They are not guaranteed and count only from an approved server. */
export interface ToolAnnotations {
  /** A display name. */
  readonly title?: string;
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean;
  /** The tool may delete or overwrite data. Meaningful only if it is not read-only. */
  readonly destructiveHint?: boolean;
  /** Repeating a call with the same arguments has no further effect. */
  readonly idempotentHint?: boolean;
  /** The tool accesses things outside this machine or account, such as the web. */
  readonly openWorldHint?: boolean;
}

/** Where a server's tool comes from. Never derived by parsing the tool's name. */
export interface ToolOrigin {
  /** The server's id in the configuration. */
  readonly server: string;
  /** The tool's exact name on that server. */
  readonly tool: string;
}

/** The description of a tool, available before it is called. */
export interface ToolDescriptor {
  /** The name in calls. Unique in its box; matches `^[A-Za-z0-9_-]{1,64}$`. */
  readonly name: string;
  /** What the tool does and when to use it, written for a model. */
  readonly description: string;
  /** The schema of the arguments, as a model gets it. Its root is an object schema. */
  readonly parameters: JsonSchema;
  /** A display name, if different from `name`. */
  readonly title?: string;
  /** The tool's hints about its own effects. */
  readonly annotations?: ToolAnnotations;
  /** The schema of `ToolResult.structured`, if the tool declares one. */
  readonly outputSchema?: JsonSchema;
  /**
   * Whether a call may go on as a task after its request was answered, for a client that follows tasks: `required` at once, `optional`
   * if it takes a while. Default: it is answered when it ends.
   */
  readonly task?: "optional" | "required";
  /** Absent for a native tool. */
  readonly origin?: ToolOrigin;
  /**
   * The tool's listing exactly as its server sent it, including unknown members, `_meta`, icons and `$defs`.
   * MCP clients of our host get this, with only `name` replaced.
   */
  readonly definition?: { readonly [member: string]: unknown };
}
