import type { MCPResourceContents } from "./content.ts";

/** Something a server can be asked to read out. */
export interface MCPResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  /** A name for people. */
  readonly title?: string;
}

/** A family of resources, by a URI template. */
export interface MCPResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
  readonly title?: string;
}

/** What a resource held when it was read: one piece, or several where it stands for several. */
export interface MCPResourceResult {
  readonly contents: readonly MCPResourceContents[];
}

/** Hears that a resource one subscribed to has changed. */
export type MCPResourceUpdatedHandler = (notice: {
  readonly uri: string;
  readonly serverName: string;
}) => void;

/** Hears that one of a server's lists has changed. */
export type MCPListChangedHandler = (notice: { readonly serverName: string }) => void;
