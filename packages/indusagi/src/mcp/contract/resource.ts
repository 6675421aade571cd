import type { MCPResourceContents } from "./content.ts";

/** A resource that a server lists. */
export interface MCPResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  /** The display name. */
  readonly title?: string;
}

/** A group of resources, described by a URI template. */
export interface MCPResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  readonly title?: string;
}

/** The contents of a resource. Some resources have several parts. */
export interface MCPResourceResult {
  readonly contents: readonly MCPResourceContents[];
}
